/** Modules and losses. */
export { Module, Sequential, buffer, parameter } from './module.js';
export * from './modules.generated.js';
export * as utils from './nn-utils.js';
