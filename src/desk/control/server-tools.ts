/**
 * Admin commands for the tools of MCP servers. Each first checks that the person is an admin now.
 */
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

/** The servers, and the changed tools that wait for an admin. */
export interface ServerToolList {
  readonly kind: 'tools';
  readonly servers: readonly ServerState[];
  readonly changed: readonly ChangedTool[];
}

export interface ServerToolControl {
  look(by: Person): Promise<ServerToolList | NotAllowed>;
  /** Accepts a changed tool; `hash` is the version that the admin has seen. */
  accept(command: {
    readonly name: string;
    readonly hash: string;
    readonly by: Person;
  }): Promise<AcceptOutcome | NotAllowed>;
}

const NOT_ADMIN = 'Only workspace admins and the people listed in ADMIN_USERS may do this.';

/** Builds the use cases. */
export function createServerToolControl(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'clock' | 'log'> & { readonly tools: ServerTools },
): ServerToolControl {
  const { clock, directory, log, store, tools } = deps;

  async function checkAdmin(by: Person): Promise<NotAllowed | undefined> {
    const profile = await directory.profileOf(by, { maxAgeMs: 0 }).catch((error: unknown) => {
      log.warn({ err: error, person: by }, 'Could not look up whether a person is an admin.');
    });
    if (!profile) return { kind: 'not-allowed', sentence: PROFILE_UNAVAILABLE };
    const refusal =
      explainRefusedMembership(profile) ??
      (profile.isAdmin ? undefined : { why: 'not an admin', sentence: NOT_ADMIN });
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
