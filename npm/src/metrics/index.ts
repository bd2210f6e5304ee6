/** Metrics, by the names of `torchmetrics`. */
export * from '../generated/metrics/index.js';
