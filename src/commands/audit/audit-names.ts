import { createNameLookup, type NameLookup } from '../../slack/people/name-lookup.ts';
import { connectSlack } from '../../slack/transport/connect-slack.ts';
import { SILENT_LOG } from '../../stores/silent-log.ts';
import type { CommandDeps } from '../command.ts';
import type { KnownNames } from './audit-columns.ts';

/** Names that are looked up while an export is written. */
export interface NameCache extends KnownNames {
  /** Looks up what is not known yet. */
  learn(ids: readonly string[]): Promise<void>;
  /** Why some were not found out; undefined where all could be asked for. */
  problem(): string | undefined;
}

/** Makes a book of names: Slack is asked where a bot token is set, else it stays empty. */
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

  async function learnOne(id: string, ask: NameLookup): Promise<void> {
    try {
      names.set(id, await ask(id));
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
      const ask = await lookup;
      if (!ask) return;
      // One after another: Slack limits how many are asked at once.
      for (const id of unknown) await learnOne(id, ask);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
