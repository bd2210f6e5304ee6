/** Modules and losses. */
export { Module, Sequential, parameter } from './module.js';
export * from './modules.generated.js';
