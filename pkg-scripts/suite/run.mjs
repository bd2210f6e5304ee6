/** Runs steps in order. */

/**
 * Runs the steps, `{ stage, step }`, and resolves to their outcomes. After a required step that
 * fails, the rest of its stage does not run. `kept` holds outcomes of an earlier run, which are not
 * repeated.
 */
export async function runSteps(steps, context, kept) {
  const outcomes = [];
  const broken = new Set();
  for (const { stage, step } of steps) {
    if (broken.has(stage)) continue;
    const before = kept?.get(step.name);
    if (before) console.log(`== ${step.name}: passed before on this state of the checkout`);
    else console.log(`== ${step.name}`);
    const outcome = before ?? (await runStep(step, context));
    if (outcome.failed === 0) kept?.add(step.name, outcome);
    else if (step.isRequired) broken.add(stage);
    outcomes.push({ stage, name: step.name, ...outcome });
  }
  return outcomes;
}

async function runStep(step, context) {
  const began = performance.now();
  const outcome = await step.run(context);
  const seconds = (performance.now() - began) / 1000;
  console.log(`== ${step.name}: ${outcome.passed} passed, ${outcome.failed} failed, ${seconds.toFixed(0)} s`);
  return { ...outcome, seconds };
}
