/**
 * A loop of training, by the names of Lightning: `Trainer`, callbacks and loggers.
 *
 * `import { Trainer } from 'lanthorn/train'`.
 */
export { EMAWeightAveraging, StochasticWeightAveraging, WeightAveraging } from './averaging.js';
export type { Callback, Logger, Mode, Training } from './callback.js';
export { EarlyStopping, GradientNorm, LearningRateMonitor, type EarlyStoppingOptions } from './callbacks.js';
export { ConsoleLogger, JSONLinesLogger, TensorBoardLogger, type Sink } from './loggers.js';
export { ModelCheckpoint, type ModelCheckpointOptions } from './model-checkpoint.js';
export { progressBar, progressElement } from './progress.js';
export { directory, memory, pageStorage, type Store } from './store.js';
export type { Batches, StepResult, Task, TrainProgress, Values } from './task.js';
export { Trainer, TrainingError, type TrainerOptions } from './trainer.js';
