/** Claude Code's PreToolUse hook: https://code.claude.com/docs/en/hooks */
import { z } from 'zod';
import type { WaitOptions } from '../client/countersign-client.ts';
import { matchesGlob } from '../domain/text/glob.ts';
import type { ApprovalApi, RequestDefaults } from './asker.ts';
import { parseAgentJson } from './strict-json-limits.ts';
import { askPermission, type Permission } from './tools/ask-permission.ts';

const Input = z.object({
  tool_name: z.string().min(1),
  tool_input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().optional(),
  session_id: z.string().optional(),
  cwd: z.string().optional(),
});

/** Options from the hook's command line. */
export interface HookOptions extends RequestDefaults {
  /** Tool names that need approval; `*` matches anything. All others pass. */
  readonly tools: readonly string[];
}

/** Turns the hook's stdin into its stdout. Empty output leaves the decision to Claude Code; unreadable input denies. */
export async function answerPreToolUse(
  text: string,
  api: Pick<ApprovalApi, 'withApproval'>,
  { tools, ...defaults }: HookOptions,
  waiting: WaitOptions,
): Promise<string> {
  const json = parseAgentJson(text);
  if (!json.ok) return denyUnreadableInput(json.reason);
  const read = Input.safeParse(json.value);
  if (!read.success) return denyUnreadableInput(z.prettifyError(read.error));
  const { tool_name: toolName, tool_input: input, cwd, ...ids } = read.data;
  if (!tools.some((pattern) => matchesGlob(pattern, toolName))) return '';
  const use = {
    toolName,
    input,
    ...(cwd !== undefined && { description: `A coding agent in ${cwd}.` }),
    metadata: ids,
    ...defaults,
  };
  return toOutput(await askPermission(api, use, waiting));
}

function toOutput(permission: Permission): string {
  const isAllowed = permission.behavior === 'allow';
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: permission.behavior,
    permissionDecisionReason: isAllowed ? 'Approved in Slack.' : permission.message,
    ...(isAllowed && { updatedInput: permission.updatedInput }),
  };
  return JSON.stringify({ hookSpecificOutput });
}

function denyUnreadableInput(why: string): string {
  const message = `Not allowed: the hook can't read its input. ${why}`;
  return toOutput({ behavior: 'deny', message });
}
