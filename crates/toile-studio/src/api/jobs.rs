//! Experiments and textile tests that are started from the page.

use super::{Answer, as_json, whole};
use crate::error::Denial;
use crate::jobs::Order;
use crate::state::Shared;
use axum::body::Body;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use toile_lab::EXPERIMENTS;

/// The experiments of the lab.
pub async fn experiments() -> Answer {
    let all = EXPERIMENTS.iter();
    let all = all.map(|e| json!({ "name": e.name, "title": e.title, "about": e.about }));
    Ok(as_json(&all.collect::<Vec<_>>()))
}

/// What runs and what has run.
pub async fn list(State(shared): State<Arc<Shared>>) -> Answer {
    Ok(as_json(&shared.jobs.list()))
}

/// Starts one.
pub async fn start(State(shared): State<Arc<Shared>>, body: Body) -> Answer {
    shared.may_change()?;
    let limits = &shared.limits;
    let bytes = whole(body, 2 * limits.scene_bytes, limits.body_time).await?;
    let order: Order = serde_json::from_slice(&bytes)
        .map_err(|error| Denial::message(format!("the order cannot be read: {error}")))?;
    Ok(as_json(&shared.jobs.start(&order)?))
}

#[derive(Deserialize)]
pub struct JobNumber {
    id: u32,
}

/// Stops one.
pub async fn stop(State(shared): State<Arc<Shared>>, Query(asked): Query<JobNumber>) -> Answer {
    Ok(as_json(&shared.jobs.stop_one(asked.id)?))
}
