/** A person in Slack. Never identified by name or e-mail, which can change or collide. */
export interface Person {
  readonly team: string;
  readonly user: string;
}

/** Returns whether two records identify the same person. */
export function isSamePerson(a: Person, b: Person): boolean {
  return a.team === b.team && a.user === b.user;
}
