import type { Call } from '../../domain/calls/call.ts';
import type { Group } from '../../domain/people/person.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import { missingApprovers } from '../../domain/rules/reminder-schedule.ts';
import type { SentencePart } from '../../domain/text/sentence.ts';

/**
 * Builds the list of names of those who have not decided the calls yet: each once, at most `most`.
 * Rejects if the lookup fails.
 */
export function createNameApprovers({ directory }: { readonly directory: Directory }) {
  async function nameGroup(group: Group): Promise<SentencePart> {
    return { group, handle: (await directory.groupOf(group)).handle };
  }

  return async function nameApprovers(
    calls: readonly Call[],
    most: number,
  ): Promise<readonly SentencePart[]> {
    const missing = calls.map(missingApprovers);
    const groups = new Set(missing.flatMap((each) => each.groups));
    const people = new Map(
      missing.flatMap((each) => each.people).map((person) => [person.user, person]),
    );
    const lookups = [
      ...[...groups].map((group) => () => nameGroup(group)),
      ...[...people.values()].map((person) => async () => {
        return { person: person.user, name: (await directory.profileOf(person)).name };
      }),
    ];
    const names = await Promise.all(lookups.slice(0, most).map((name) => name()));
    const more = lookups.length - most;
    return more > 0 ? [...names, `${more} more`] : names;
  };
}
