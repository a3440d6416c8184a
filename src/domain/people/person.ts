/** A person in Slack. Never identified by name or e-mail, which can change or collide. */
export interface Person {
  readonly team: string;
  readonly user: string;
}

/** Returns whether two records identify the same person. */
export function isSamePerson(a: Person, b: Person): boolean {
  return a.team === b.team && a.user === b.user;
}

/** Several people: a Slack user group or the members of a channel, by id. */
export type Group = `usergroup:${string}` | `channel:${string}`;

/** Returns whether an approver is a group. */
export function isGroup(approver: string): approver is Group {
  return approver.startsWith('usergroup:') || approver.startsWith('channel:');
}
