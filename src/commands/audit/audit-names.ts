import { createNameLookup, type NameLookup } from '../../slack/people/name-lookup.ts';
import { connectSlack } from '../../slack/transport/connect-slack.ts';
import { SILENT_LOG } from '../../stores/silent-log.ts';
import type { CommandDeps } from '../command.ts';
import type { KnownNames } from './audit-columns.ts';

/** A cache of names, filled while an export is written. */
export interface NameCache extends KnownNames {
  /** Looks up the ids that are not in the cache. */
  learn(ids: readonly string[]): Promise<void>;
  /** Why a lookup failed; undefined if none did. */
  problem(): string | undefined;
}

/** Creates the cache. Names come from Slack if a bot token is set; otherwise it stays empty. */
export function createNameCache({
  MODE,
  SLACK_API_URL,
  SLACK_BOT_TOKEN,
}: CommandDeps['env']): NameCache {
  const botToken = SLACK_BOT_TOKEN?.trim();
  const apiUrl = SLACK_API_URL?.trim();
  const names = new Map<string, string | undefined>();
  let lookup: Promise<NameLookup | undefined> | undefined;
  let problem: string | undefined;

  async function open(): Promise<NameLookup | undefined> {
    if (!botToken || MODE?.trim() === 'playground') return undefined;
    const config = { botToken, ...(apiUrl && { apiUrl: apiUrl.replace(/\/*$/, '/') }) };
    return createNameLookup(await connectSlack({ config, log: SILENT_LOG }));
  }

  async function learnOne(id: string, lookUp: NameLookup): Promise<void> {
    try {
      names.set(id, await lookUp(id));
    } catch (error) {
      problem = messageOf(error);
    }
  }

  return {
    nameOf: (id) => names.get(id),
    problem: () => problem,
    async learn(ids) {
      const unknown = [...new Set(ids)].filter((id) => !names.has(id));
      if (unknown.length === 0) return;
      lookup ??= open().catch((error: unknown) => {
        problem = messageOf(error);
        return undefined;
      });
      const lookUp = await lookup;
      if (!lookUp) return;
      // One at a time, because Slack limits the request rate.
      for (const id of unknown) await learnOne(id, lookUp);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
