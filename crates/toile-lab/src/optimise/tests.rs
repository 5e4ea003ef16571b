use super::*;

/// Makes an objective of a function of one point, and a log of all points it is asked for.
struct Logged<F> {
    function: F,
    log: Vec<Vec<f64>>,
    largest_batch: usize,
    stop_after: usize,
}

impl<F: Fn(&[f64]) -> f64> Logged<F> {
    fn new(function: F) -> Self {
        Logged {
            function,
            log: Vec::new(),
            largest_batch: 0,
            stop_after: usize::MAX,
        }
    }
}

impl<F: Fn(&[f64]) -> f64> Objective for Logged<F> {
    fn evaluate(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<f64>> {
        if self.log.len() >= self.stop_after {
            return ControlFlow::Break(());
        }
        for point in points {
            assert!(point.iter().all(|x| (0.0..=1.0).contains(x)), "{point:?}");
        }
        self.log.extend_from_slice(points);
        self.largest_batch = self.largest_batch.max(points.len());
        ControlFlow::Continue(points.iter().map(|p| (self.function)(p)).collect())
    }
}

fn exact(max_evaluations: usize) -> Settings {
    Settings {
        max_evaluations,
        value_tolerance: 1e-10,
        point_tolerance: 1e-8,
        seed: 3,
    }
}

fn bowl(point: &[f64]) -> f64 {
    let terms = point.iter().enumerate();
    terms
        .map(|(k, x)| (k + 1) as f64 * (x - 0.3 - 0.1 * k as f64).powi(2))
        .sum()
}

/// Rosenbrock's valley in −2 … 2, with its minimum 0 at 1.
fn rosenbrock(point: &[f64]) -> f64 {
    let x: Vec<f64> = point.iter().map(|u| 4.0 * u - 2.0).collect();
    let terms = x.windows(2);
    terms
        .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
        .sum()
}

/// Rastrigin's egg box in −5 … 3, with its minimum 0 at 0 and about 80 others.
fn rastrigin(point: &[f64]) -> f64 {
    let x = point.iter().map(|u| 8.0 * u - 5.0);
    x.map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos())
        .sum()
}

fn simplex(start: &[f64], function: fn(&[f64]) -> f64, evaluations: usize) -> Minimum {
    let search = NelderMead::new(start.to_vec());
    search
        .minimise(&mut Logged::new(function), &exact(evaluations))
        .unwrap()
}

fn cloud(start: &[f64], function: fn(&[f64]) -> f64, evaluations: usize) -> Minimum {
    let search = CmaEs::new(start.to_vec());
    search
        .minimise(&mut Logged::new(function), &exact(evaluations))
        .unwrap()
}

#[track_caller]
fn assert_near(found: &Minimum, point: &[f64], tolerance: f64) {
    for (a, b) in found.point.iter().zip(point) {
        assert!((a - b).abs() < tolerance, "{found:?}");
    }
}

#[test]
fn the_bottom_of_a_bowl() {
    for search in [simplex, cloud] {
        let found = search(&[0.9, 0.1, 0.5], bowl, 5000);
        assert_near(&found, &[0.3, 0.4, 0.5], 1e-6);
        assert_eq!(found.stopped, StopReason::Converged);
        let found = search(&[0.5], bowl, 2000);
        assert_near(&found, &[0.3], 1e-6);
    }
}

#[test]
fn the_end_of_a_curved_valley() {
    assert_near(&simplex(&[0.2, 0.8], rosenbrock, 3000), &[0.75; 2], 1e-5);
    assert_near(&cloud(&[0.2, 0.8], rosenbrock, 3000), &[0.75; 2], 1e-5);
    let start = [0.45; 5];
    let search = NelderMead {
        restarts: 6,
        ..NelderMead::new(start.to_vec())
    };
    let found = search
        .minimise(&mut Logged::new(rosenbrock), &exact(20_000))
        .unwrap();
    assert_near(&found, &[0.75; 5], 1e-4);
    assert_near(&cloud(&start, rosenbrock, 10_000), &[0.75; 5], 1e-4);
}

#[test]
fn restarts_find_the_deepest_of_many_holes() {
    for seed in 0..5 {
        let search = CmaEs {
            restarts: 6,
            ..CmaEs::new(vec![0.1, 0.9])
        };
        let settings = Settings {
            seed,
            ..exact(40_000)
        };
        let found = search
            .minimise(&mut Logged::new(rastrigin), &settings)
            .unwrap();
        assert!(found.value < 1e-6, "{found:?}");
        assert_near(&found, &[0.625; 2], 1e-4);
    }
}

#[test]
fn a_minimum_in_the_wall() {
    let slope: fn(&[f64]) -> f64 =
        |p| (p[0] + 0.2).powi(2) + (p[1] - 1.3).powi(2) + (p[2] - 0.4).powi(2);
    for search in [simplex, cloud] {
        let found = search(&[0.5, 0.5, 0.5], slope, 4000);
        assert_near(&found, &[0.0, 1.0, 0.4], 1e-5);
    }
}

#[test]
fn failed_simulations_are_walked_around() {
    let half: fn(&[f64]) -> f64 = |p| match p[0] {
        x if x > 0.5 => f64::INFINITY,
        x if x > 0.45 => f64::NAN,
        _ => bowl(p),
    };
    for search in [simplex, cloud] {
        let found = search(&[0.42, 0.9], half, 3000);
        assert_near(&found, &[0.3, 0.4], 1e-5);
    }
    let nothing: fn(&[f64]) -> f64 = |_| f64::INFINITY;
    for search in [simplex, cloud] {
        let found = search(&[0.42, 0.9], nothing, 3000);
        assert_eq!(found.value, f64::INFINITY);
        assert!(found.point.iter().all(|x| (0.0..=1.0).contains(x)));
    }
}

type Search<'a> = dyn Fn(&mut dyn Objective) -> Minimum + 'a;

/// Runs both optimisers; gives what each found and the points it asked for.
fn both(settings: &Settings, stop_after: usize) -> Vec<(Minimum, Vec<Vec<f64>>)> {
    let searches: [&Search; 2] = [
        &|objective| {
            NelderMead::new(vec![0.4, 0.55])
                .minimise(objective, settings)
                .unwrap()
        },
        &|objective| {
            let search = CmaEs {
                restarts: 3,
                ..CmaEs::new(vec![0.2, 0.8])
            };
            search.minimise(objective, settings).unwrap()
        },
    ];
    let run = |search: &&Search| {
        let mut logged = Logged::new(rastrigin);
        logged.stop_after = stop_after;
        (search(&mut logged), logged.log)
    };
    searches.iter().map(run).collect()
}

#[test]
fn the_same_seed_asks_for_the_same_points() {
    let settings = exact(3000);
    assert_eq!(both(&settings, usize::MAX), both(&settings, usize::MAX));
    let other = Settings {
        seed: 4,
        ..settings
    };
    let (first, second) = (both(&settings, usize::MAX), both(&other, usize::MAX));
    assert!(first[0].1 != second[0].1 && first[1].1 != second[1].1);
}

#[test]
fn an_interrupted_run_asks_for_the_first_points_of_a_whole_one() {
    let settings = exact(500);
    let whole = both(&settings, usize::MAX);
    let part = both(&settings, 40);
    for ((_, whole), (found, part)) in whole.iter().zip(&part) {
        assert_eq!(found.stopped, StopReason::Requested);
        assert_eq!(part.as_slice(), &whole[..part.len()]);
        assert_eq!(found.evaluations, part.len());
        assert!((40..60).contains(&part.len()));
    }
}

#[test]
fn the_budget_is_used_up_and_never_exceeded() {
    for budget in [0, 1, 2, 3, 7, 50, 51, 52, 53] {
        for (found, log) in both(&exact(budget), usize::MAX) {
            assert_eq!(log.len(), budget);
            assert_eq!(found.evaluations, budget);
            assert_eq!(found.stopped, StopReason::EvaluationLimit);
        }
    }
}

#[test]
fn the_history_falls_to_the_minimum() {
    for (found, log) in both(&exact(300), usize::MAX) {
        assert!(found.history.windows(2).all(|w| w[0].value > w[1].value));
        let last = found.history.last().unwrap();
        assert_eq!(last.value, found.value);
        assert_eq!(log[last.evaluations - 1], found.point);
        assert_eq!(rastrigin(&found.point), found.value);
    }
}

#[test]
fn steps_are_evaluated_in_batches() {
    let mut logged = Logged::new(bowl);
    NelderMead::new(vec![0.5; 2])
        .minimise(&mut logged, &exact(100))
        .unwrap();
    assert_eq!(logged.largest_batch, 4);
    let mut logged = Logged::new(bowl);
    CmaEs::new(vec![0.5; 6])
        .minimise(&mut logged, &exact(100))
        .unwrap();
    assert_eq!(logged.largest_batch, 10);
}

#[test]
fn a_closure_is_an_objective() {
    let mut calls = 0;
    let mut objective = |points: &[Vec<f64>]| {
        calls += 1;
        ControlFlow::Continue(points.iter().map(|p| bowl(p)).collect())
    };
    let found = NelderMead::new(vec![0.5; 2]).minimise(&mut objective, &Settings::default());
    assert_near(&found.unwrap(), &[0.3, 0.4], 1e-3);
    assert!(calls > 10);
}

#[test]
fn what_cannot_begin_is_refused() {
    let settings = Settings::default();
    let message = |start: &[f64], edge: f64| {
        let search = NelderMead {
            edge,
            ..NelderMead::new(start.to_vec())
        };
        let error = search
            .minimise(&mut Logged::new(bowl), &settings)
            .unwrap_err();
        error.to_string()
    };
    assert!(message(&[], 0.1).contains("no parameters"));
    assert!(message(&[0.5, 1.5], 0.1).contains("parameter 1 starts at 1.5"));
    assert!(message(&[0.5, f64::NAN], 0.1).contains("parameter 1"));
    assert!(message(&[0.5], 0.0).contains("above 0"));
}

#[test]
fn parameters_go_to_the_cube_and_back() {
    let bounds = |low, high, scale| Bounds { low, high, scale };
    let space = Space::new(vec![
        bounds(-2.0, 6.0, Scale::Linear),
        bounds(1e-6, 1e-2, Scale::Log),
    ]);
    let space = space.unwrap();
    let middle = space.parameters(&[0.5, 0.5]);
    assert!((middle[0] - 2.0).abs() < 1e-12 && (middle[1] / 1e-4 - 1.0).abs() < 1e-12);
    assert_eq!(space.parameters(&[0.0, 0.0]), [-2.0, 1e-6]);
    assert_eq!(space.parameters(&[1.0, 1.0]), [6.0, 1e-2]);
    for (a, b) in space.point(&middle).iter().zip([0.5, 0.5]) {
        assert!((a - b).abs() < 1e-12);
    }
    assert!(space.point(&[7.0, 1e-2])[0] > 1.0);
    for (low, high, scale, part) in [
        (1.0, 1.0, Scale::Linear, "smaller"),
        (f64::NAN, 1.0, Scale::Linear, "finite"),
        (0.0, 1.0, Scale::Log, "positive"),
    ] {
        let error = Space::new(vec![bounds(low, high, scale)]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
