//! The integration tests of `lanthorn-optim`: one binary, because linking takes seconds.

mod growth;
mod options;
mod replay;
mod schedules;
mod steady;
mod trajectories;
