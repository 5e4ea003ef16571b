//! Examining.
