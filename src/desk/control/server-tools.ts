/**
 * Admin commands for the tools of MCP servers. Each first checks that the person is an admin now.
 */
import type { Person } from '../../domain/people/person.ts';
import type {
  AcceptOutcome,
  ChangedTool,
  ServerState,
  ServerTools,
} from '../../domain/tools/server-tools.ts';
import type { DeskDeps } from '../deps.ts';
import { createRequireAdmin, type NotAllowed } from './require-admin.ts';

/** The servers, and the changed tools that wait for an admin. */
export interface ServerToolList {
  readonly kind: 'tools';
  readonly servers: readonly ServerState[];
  readonly changed: readonly ChangedTool[];
}

export interface ServerToolControl {
  list(by: Person): Promise<ServerToolList | NotAllowed>;
  /** Accepts a changed tool; `hash` is the version that the admin has seen. */
  accept(command: {
    readonly name: string;
    readonly hash: string;
    readonly by: Person;
  }): Promise<AcceptOutcome | NotAllowed>;
}

/** Builds the use cases. */
export function createServerToolControl(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'clock' | 'log'> & { readonly tools: ServerTools },
): ServerToolControl {
  const { tools } = deps;
  const requireAdmin = createRequireAdmin(deps);
  // The newest profile counts: who lost the right must not use it.
  const refuseNonAdmin = (by: Person) => requireAdmin(by, 'tools', { maxAgeMs: 0 });

  return {
    async list(by) {
      const refused = await refuseNonAdmin(by);
      if (refused) return refused;
      return { kind: 'tools', servers: tools.servers(), changed: tools.changed() };
    },
    async accept(command) {
      return (await refuseNonAdmin(command.by)) ?? (await tools.accept(command));
    },
  };
}
