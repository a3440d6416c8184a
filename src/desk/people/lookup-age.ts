/** Maximum age of profiles and groups when a person decides. */
export const DECIDER_MAX_AGE_MS = 60_000;
/** Maximum age of group members before a person is refused because of them, or nobody is found. */
export const REFUSAL_MAX_AGE_MS = 5_000;
