/** What is done to modules. */
export * as parametrizations from './parametrizations.js';
