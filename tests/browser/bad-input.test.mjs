/** What the package does with what it cannot use: a typed error that explains itself, and it works on. Needs the package built into target/npm. */
import { describeCases } from './lib/package-page.mjs';

await describeCases('bad-input', ['shapes', 'arguments', 'autograd', 'indices', 'lifetime', 'hooks', 'devices']);
