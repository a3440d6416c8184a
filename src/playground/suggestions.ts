import type { App } from '../app/app-deps.ts';
import type { ExampleProgram } from './example-program.ts';
import type { Suggestion, SuggestionResult } from './page/state/page-start.ts';
import { SCENARIOS } from './script/scenarios.ts';
import type { Workspace } from './workspace/workspace-port.ts';

/** What the page suggests, and what a click on it does. */
export interface TrySuggestions {
  list(): readonly Suggestion[];
  /** Does it as that person in that channel. */
  run(as: string, channel: string, label: string): Promise<SuggestionResult>;
}

interface TryOut extends Suggestion {
  /** What the agent needs for it. */
  readonly tool?: string;
  run(as: string, channel: string): Promise<SuggestionResult>;
}

const TRANSFER_ROUTE = 'two-approvers';
const TRANSFER_NOTE =
  'The card is in #approvals: act as approver, then as admin, to approve it there.';
const DAY_MS = 86_400_000;

/** Makes what can be tried out; without an agent of ours it is what programs do. */
export function createTrySuggestions(deps: {
  readonly workspace: Workspace;
  readonly app: Pick<App, 'routes' | 'toolNames'>;
  readonly program: ExampleProgram;
  readonly hasAgent: boolean;
}): TrySuggestions {
  const { app, hasAgent, program, workspace } = deps;

  const say = (label: string, tool: string, prepare?: () => Promise<string>): TryOut => {
    const text = SCENARIOS.find((scenario) => scenario.label === label)?.text ?? label;
    return {
      label,
      text,
      tool,
      run: async (as, channel) => {
        const note = await prepare?.();
        const isDirect = workspace.channel(channel).kind === 'im';
        const { ts } = await workspace.say(as, channel, isDirect ? text : `$${'{bot}'} ${text}`);
        return { ts, ...(note !== undefined && { note }) };
      },
    };
  };
  const ask = (label: string, text: string, work: ExampleProgram['restock']): TryOut => ({
    label,
    text,
    run: async (as, channel) => {
      const place = workspace.channel(channel);
      const isThere = place.members.includes(workspace.app.botUserId);
      await work({
        channel: (isThere ? place : workspace.channel('general')).id,
        requester: workspace.member(as).id,
      });
      return {};
    },
  });
  const all: readonly TryOut[] = [
    say('Refund an order', 'refund'),
    say('Run a command', 'run_command'),
    say('Change a file', 'edit_file'),
    say('Several at once', 'refund'),
    say('Two approvers', 'transfer', async () => {
      await routeTransfers(workspace, app);
      return TRANSFER_NOTE;
    }),
    ask('A program asks', 'A program asks over the HTTP API whether it may order boxes', (place) =>
      program.restock(place),
    ),
    ask('Ask me something', 'A program asks a question that offers answers', (place) =>
      program.askWhich(place),
    ),
  ];
  const offered = () => {
    const tools = hasAgent ? app.toolNames() : [];
    return all.filter(({ tool }) => tool === undefined || tools.includes(tool));
  };
  return {
    list: () => offered().map(({ label, text }) => ({ label, text })),
    run: async (as, channel, label) => {
      const found = offered().find((each) => each.label === label);
      if (found === undefined) throw new Error(`The playground does not offer “${label}”.`);
      return await found.run(as, channel);
    },
  };
}

/** Has an admin give transfers to two people, where no route has them yet. */
async function routeTransfers(
  workspace: Workspace,
  { routes }: Pick<App, 'routes'>,
): Promise<void> {
  const by = { team: workspace.team.id, user: workspace.member('admin').id };
  const found = await routes.look(by);
  if (found.kind === 'not-allowed') throw new Error(found.sentence);
  const { book } = found;
  if (
    book.routes.some(({ name, tools }) => name === TRANSFER_ROUTE || tools.includes('transfer'))
  ) {
    return;
  }
  const group = workspace.see('admin').groups.find(({ handle }) => handle === 'ops-approvers');
  const outcome = await routes.set({
    by,
    seen: 0,
    draft: {
      name: TRANSFER_ROUTE,
      tools: ['transfer'],
      approvers: group ? [`usergroup:${group.id}`] : [],
      quorum: 2,
      selfApproval: false,
      decisions: ['approve', 'edit', 'reply', 'ignore'],
      deadlineMs: DAY_MS,
      channel: workspace.channel('approvals').id,
    },
  });
  if (outcome.kind === 'invalid') {
    throw new Error(outcome.problems.map(({ message }) => message).join(' '));
  }
  if (outcome.kind === 'not-allowed') throw new Error(outcome.sentence);
}
