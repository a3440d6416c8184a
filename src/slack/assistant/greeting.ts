/** The greeting and prompts of the app, built from its actual tools. */

import { escapeToolName } from '../../domain/text/visible-text.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import { mention } from '../text/mrkdwn.ts';

/** A message that a person can send with one click. */
export interface PanePrompt {
  readonly title: string;
  readonly message: string;
}

type Tools = Pick<Toolbox, 'list'>;

interface ToolRow {
  readonly tool: string;
  /** Completes “I can …”. */
  readonly can: string;
  readonly prompt?: PanePrompt;
}

const ROWS: readonly ToolRow[] = [
  {
    tool: 'list_files',
    can: 'look through the workspace’s files',
    prompt: { title: 'Look around', message: 'Which files are in the workspace?' },
  },
  { tool: 'read_file', can: 'read them' },
  { tool: 'search_files', can: 'search them' },
  {
    tool: 'write_file',
    can: 'write files',
    prompt: { title: 'Write a file', message: 'Write a haiku about approvals to haiku.txt' },
  },
  { tool: 'edit_file', can: 'change files' },
  { tool: 'delete_file', can: 'delete files' },
  {
    tool: 'run_command',
    can: 'run commands',
    prompt: { title: 'Run a command', message: 'Run a command that lists the file sizes' },
  },
  {
    tool: 'search_web',
    can: 'search the web',
    prompt: { title: 'Search the web', message: 'Search the web for code review best practices' },
  },
  {
    tool: 'fetch_url',
    can: 'read web pages',
    prompt: { title: 'Read a page', message: 'Read https://example.com and sum it up' },
  },
  { tool: 'send_file', can: 'send files into the thread' },
  { tool: 'task', can: 'give work to helpers' },
];

const FIRST_PROMPT: PanePrompt = {
  title: 'What can you do?',
  message: 'What can you do, and what needs approval?',
};

/** https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts */
const MAX_PROMPTS = 4;
const MAX_NAMES = 5;

/** Returns the greeting: who the agent is, what it can do, and that risky calls need an approval. */
export function buildGreeting(botUserId: string, tools: Tools): string {
  return [
    `Hello! I am ${mention(botUserId)}, an AI agent. Tell me what you need.`,
    describeAbilities(tools),
    'Before I do anything risky, I post a card here that shows exactly what would run. You can approve it, edit it, reply to me instead, or ignore it.',
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

/** Returns at least one and at most 4 prompts that fit the tools. */
export function suggestPrompts(tools: Tools): readonly [PanePrompt, ...PanePrompt[]] {
  const offered = new Set(tools.list().map(({ name }) => name));
  const fitting = ROWS.flatMap(({ tool, prompt }) => (prompt && offered.has(tool) ? [prompt] : []));
  return [FIRST_PROMPT, ...fitting.slice(0, MAX_PROMPTS - 1)];
}

function describeAbilities(tools: Tools): string {
  const offered = new Set(tools.list().map(({ name }) => name));
  const known = ROWS.filter(({ tool }) => offered.delete(tool)).map(({ can }) => can);
  const names = [...offered].map((name) => `\`${escapeToolName(name)}\``);
  const others = [
    ...names.slice(0, MAX_NAMES),
    ...(names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : []),
  ];
  const used = others.length === 0 ? [] : [`use ${joinList(others)}`];
  return known.length + used.length === 0 ? '' : `I can ${joinList([...known, ...used])}.`;
}

function joinList(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
