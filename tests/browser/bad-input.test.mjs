/**
 * Invalid input to the package: a typed error that explains itself, and the package continues to
 * work. Needs the package built into target/npm.
 */
import { describeCases } from './lib/package-page.mjs';

await describeCases('bad-input', ['shapes', 'arguments', 'autograd', 'indices', 'lifetime', 'hooks', 'hints', 'devices']);
