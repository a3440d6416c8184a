/** Returns the helper as it is; with it TypeScript checks its fields. */
export function defineHelper(helper) {
  return helper;
}
