import type { App } from '../app/app-deps.ts';
import type { ExampleProgram } from './example-program.ts';
import type { Suggestion, SuggestionResult } from './page/state/page-start.ts';
import { SCENARIOS } from './script/scenarios.ts';
import type { Workspace } from './workspace/workspace-port.ts';

/** The suggestions on the page, and how to run them. */
export interface TrySuggestions {
  list(): readonly Suggestion[];
  /** Runs a suggestion as that person in that channel. */
  run(as: string, channel: string, label: string): Promise<SuggestionResult>;
}

interface TryOut extends Suggestion {
  /** The tool that the agent needs for it. */
  readonly tool?: string;
  run(as: string, channel: string): Promise<SuggestionResult>;
}

const TRANSFER_ROUTE = 'two-approvers';
const TRANSFER_NOTE =
  'The card is in #approvals: act as approver, then as admin, to approve it there.';
const DAY_MS = 86_400_000;

/** Creates the suggestions. Without our own agent, only those of programs are available. */
export function createTrySuggestions(deps: {
  readonly workspace: Workspace;
  readonly app: Pick<App, 'routes' | 'toolNames'>;
  readonly program: ExampleProgram;
  readonly hasAgent: boolean;
}): TrySuggestions {
  const { app, hasAgent, program, workspace } = deps;

  const all: readonly TryOut[] = [
    suggestMessage(workspace, 'Refund an order', 'refund'),
    suggestMessage(workspace, 'Run a command', 'run_command'),
    suggestMessage(workspace, 'Change a file', 'edit_file'),
    suggestMessage(workspace, 'Several at once', 'refund'),
    suggestMessage(workspace, 'Two approvers', 'transfer', async () => {
      await routeTransfers(workspace, app);
      return TRANSFER_NOTE;
    }),
    suggestProgram(
      workspace,
      'A program asks',
      'A program asks over the HTTP API whether it may order boxes',
      (place) => program.restock(place),
    ),
    suggestProgram(
      workspace,
      'Ask me something',
      'A program asks a question with choices',
      (place) => program.askWhich(place),
    ),
  ];
  const available = () => {
    const tools = hasAgent ? app.toolNames() : [];
    return all.filter(({ tool }) => tool === undefined || tools.includes(tool));
  };
  return {
    list: () => available().map(({ label, text }) => ({ label, text })),
    run: async (as, channel, label) => {
      const found = available().find((each) => each.label === label);
      if (found === undefined) throw new Error(`The playground does not offer “${label}”.`);
      return await found.run(as, channel);
    },
  };
}

function suggestMessage(
  workspace: Workspace,
  label: string,
  tool: string,
  prepare?: () => Promise<string>,
): TryOut {
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
}

function suggestProgram(
  workspace: Workspace,
  label: string,
  text: string,
  request: ExampleProgram['restock'],
): TryOut {
  return {
    label,
    text,
    run: async (as, channel) => {
      const place = workspace.channel(channel);
      const isAppMember = place.members.includes(workspace.app.botUserId);
      await request({
        channel: (isAppMember ? place : workspace.channel('general')).id,
        requester: workspace.member(as).id,
      });
      return {};
    },
  };
}

/** Sets a route, as an admin, that requires two approvals for transfers, unless one exists. */
async function routeTransfers(
  workspace: Workspace,
  { routes }: Pick<App, 'routes'>,
): Promise<void> {
  const by = { team: workspace.team.id, user: workspace.member('admin').id };
  const found = await routes.list(by);
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
