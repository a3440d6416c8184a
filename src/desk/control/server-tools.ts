/** What admins do to the tools of MCP servers: each time it is asked first whether they are an admin at this moment. */
import type { Person } from '../../domain/people/person.ts';
import { explainRefusedMembership } from '../../domain/people/sender-policy.ts';
import type {
  AcceptOutcome,
  ChangedTool,
  ServerState,
  ServerTools,
} from '../../domain/tools/server-tools.ts';
import { actorOf } from '../calls/call-effects.ts';
import { PROFILE_UNAVAILABLE } from '../decisions/find-profile.ts';
import type { DeskDeps } from '../deps.ts';
import type { NotAllowed } from './control.ts';

/** The servers, and the tools that wait for an admin. */
export interface ServerToolList {
  readonly kind: 'tools';
  readonly servers: readonly ServerState[];
  readonly changed: readonly ChangedTool[];
}

export interface ServerToolControl {
  look(by: Person): Promise<ServerToolList | NotAllowed>;
  /** Takes a changed tool as it is now; `hash` is what the admin has seen of it. */
  accept(command: {
    readonly name: string;
    readonly hash: string;
    readonly by: Person;
  }): Promise<AcceptOutcome | NotAllowed>;
}

const NO_ADMIN =
  'Only admins of this workspace, and those whom the operator has named in ADMIN_USERS, may do this.';

/** Builds the use cases. */
export function createServerToolControl(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'clock' | 'log'> & { readonly tools: ServerTools },
): ServerToolControl {
  const { clock, directory, log, store, tools } = deps;

  async function checkAdmin(by: Person): Promise<NotAllowed | undefined> {
    const profile = await directory.profileOf(by, { maxAgeMs: 0 }).catch((error: unknown) => {
      log.warn({ err: error, person: by }, 'Nobody could tell whether a person is an admin.');
    });
    if (!profile) return { kind: 'not-allowed', sentence: PROFILE_UNAVAILABLE };
    const refusal =
      explainRefusedMembership(profile) ??
      (profile.isAdmin ? undefined : { why: 'not an admin', sentence: NO_ADMIN });
    if (!refusal) return undefined;
    const audit = { at: clock.now(), event: 'control.not-allowed', actor: actorOf(by) };
    await store.audit.append([{ ...audit, subject: 'tools', detail: { why: refusal.why } }]);
    return { kind: 'not-allowed', sentence: refusal.sentence };
  }

  return {
    async look(by) {
      const refused = await checkAdmin(by);
      if (refused) return refused;
      return { kind: 'tools', servers: tools.servers(), changed: tools.changed() };
    },
    async accept(command) {
      return (await checkAdmin(command.by)) ?? (await tools.accept(command));
    },
  };
}
