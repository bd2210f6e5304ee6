//! Tests of metrics against torchmetrics.

mod golden;
mod options;
