/** Returns the helper unchanged and checks its type. */
export function defineHelper(helper) {
  return helper;
}
