/**
 * Parts of long tables. The suite's default run sets LANTHORN_ROTATION to a number that grows by
 * one with every commit, and a table that takes one part in N runs whole over N neighbouring
 * commits. Without the variable, as in a run by hand, a table is whole.
 */
const given = process.env.LANTHORN_ROTATION;

/** The number of this run's part, or undefined where the run takes whole tables. */
export const rotation = given === undefined ? undefined : Number(given);
if (rotation !== undefined && !(Number.isSafeInteger(rotation) && rotation >= 0)) {
  throw new Error(`LANTHORN_ROTATION is ${given}, expected a whole number from 0`);
}

/**
 * The part of a table in `parts` parts that this run takes, for tables whose rows rotate as well:
 * the part depends on a hash of the number, so that each part gets every remainder of it.
 */
export const hashedPart = (parts) => (rotation === undefined ? '1/1' : `${1 + ((Math.imul(rotation, 0x9e3779b1) >>> 16) % parts)}/${parts}`);

/** Whether this run takes row `index` of a table of which it takes one row in `every`. */
export const isTaken = (index, every) => rotation === undefined || index % every === rotation % every;

/**
 * The rows of a table that this run takes, one in `every`. Tables with different offsets take
 * different rows.
 */
export const rotate = (rows, every, offset = 0) => rows.filter((_, index) => isTaken(index + offset, every));
