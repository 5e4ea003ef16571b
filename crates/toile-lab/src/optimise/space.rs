//! Parameters in their bounds, and the unit cube.

use thiserror::Error;

/// How a parameter is spread between its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal factors; for stiffnesses, whose order of magnitude is not known. Both bounds must be
    /// positive.
    Log,
}

/// Between what a parameter may vary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// How it is spread between them.
    pub scale: Scale,
}

impl Bounds {
    /// The value at a share of the way, from 0 to 1; at 0 and 1 the bounds themselves.
    pub fn value(&self, share: f64) -> f64 {
        if share <= 0.0 {
            return self.low;
        }
        if share >= 1.0 {
            return self.high;
        }
        let value = match self.scale {
            Scale::Linear => self.low + share * (self.high - self.low),
            Scale::Log => self.low * (share * (self.high / self.low).ln()).exp(),
        };
        value.clamp(self.low, self.high)
    }

    /// The share of the way at which a value is; outside 0 to 1 if it is outside the bounds.
    pub fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    fn check(&self, parameter: usize) -> Result<(), SpaceError> {
        let Bounds { low, high, scale } = *self;
        if !(low < high && (high - low).is_finite()) {
            return Err(SpaceError::Order {
                parameter,
                low,
                high,
            });
        }
        if scale == Scale::Log && low <= 0.0 {
            return Err(SpaceError::NotPositive { parameter, low });
        }
        Ok(())
    }
}

/// Bounds that bound nothing.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SpaceError {
    /// The lower bound is not below the upper one.
    #[error(
        "parameter {parameter} has bounds {low} and {high}; the first must be smaller, and both finite"
    )]
    Order {
        /// The parameter, counted from 0.
        parameter: usize,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// Factors need positive bounds.
    #[error(
        "parameter {parameter} is varied by factors from {low} on; its bounds must be positive, or its scale linear"
    )]
    NotPositive {
        /// The parameter, counted from 0.
        parameter: usize,
        /// Its lower bound.
        low: f64,
    },
}

/// The box in which parameters vary.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    bounds: Vec<Bounds>,
}

impl Space {
    /// Checks the bounds.
    pub fn new(bounds: Vec<Bounds>) -> Result<Self, SpaceError> {
        for (parameter, bounds) in bounds.iter().enumerate() {
            bounds.check(parameter)?;
        }
        Ok(Space { bounds })
    }

    /// The bounds of each parameter.
    pub fn bounds(&self) -> &[Bounds] {
        &self.bounds
    }

    /// The parameters at a point of the unit cube.
    pub fn parameters(&self, point: &[f64]) -> Vec<f64> {
        let pairs = self.bounds.iter().zip(point);
        pairs.map(|(bounds, &share)| bounds.value(share)).collect()
    }

    /// The point of the unit cube with these parameters; outside of it if they are outside their bounds.
    pub fn point(&self, parameters: &[f64]) -> Vec<f64> {
        let pairs = self.bounds.iter().zip(parameters);
        pairs.map(|(bounds, &value)| bounds.share(value)).collect()
    }
}
