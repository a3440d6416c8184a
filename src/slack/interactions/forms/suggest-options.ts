import type { PlainTextOption } from '@slack/types';
import { suggestOptions as suggestChoices } from '../../forms/draw/suggest-options.ts';
import type { ChoicesQuery, GroupsQuery, RejectedInteraction } from '../../inbound/interaction.ts';
import { groupOption } from '../../routes/form/form-elements.ts';
import { LIMITS } from '../../text/limits.ts';
import type { HandlerDeps } from '../handler.ts';
import { recordRejected } from '../reject-interaction.ts';
import { findSession } from './form-session.ts';

/** Returns the options of a select that a person searches; none if the form can’t be used. */
export async function suggestOptions(
  query: ChoicesQuery | GroupsQuery | RejectedInteraction,
  deps: HandlerDeps,
): Promise<PlainTextOption[]> {
  switch (query.kind) {
    case 'refused':
      await recordRejected(query, deps);
      return [];
    case 'groups-query':
      return await suggestGroups(query, deps);
    case 'choices-query': {
      const found = await findSession(query, deps);
      if (found.kind === 'unusable') return [];
      return suggestChoices(found.session.plan, query.blockId, query.typed);
    }
  }
}

/** Finds the user groups whose handle contains the typed text. */
async function suggestGroups(
  { typed }: GroupsQuery,
  { userGroups }: HandlerDeps,
): Promise<PlainTextOption[]> {
  const part = typed.trim().toLowerCase().replace(/^@/, '');
  const groups = await userGroups();
  return groups
    .filter(({ handle }) => handle.toLowerCase().includes(part))
    .slice(0, LIMITS.selectOptions)
    .map(groupOption);
}
