/** A human being in Slack: never a name or an e-mail address, which can change or collide. */
export interface Person {
  readonly team: string;
  readonly user: string;
}

/** Tells whether two people are the same one. */
export function isSamePerson(a: Person, b: Person): boolean {
  return a.team === b.team && a.user === b.user;
}
