import type { Call } from '../../domain/calls/call.ts';
import type { DecisionCommand } from '../../domain/calls/decision.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Edited } from '../../domain/rules/decision-rules.ts';
import { describeMissingTool } from '../../domain/rules/execution-rules.ts';
import { maskingOf, maskWholeText } from '../../domain/secrets/mask-secrets.ts';
import { secretPathsOfCall } from '../../domain/secrets/secret-paths.ts';
import type { ParsedArgs, Tool } from '../../domain/tools/tool.ts';
import { previewRun } from '../calls/preview-call.ts';
import type { DeskDeps } from '../deps.ts';

/** Parses and previews a person's edit; undefined for other decisions. */
export async function readEdit(
  deps: Parameters<typeof previewRun>[0] & Pick<DeskDeps, 'toolbox'>,
  call: Call,
  command: DecisionCommand,
): Promise<Edited | undefined> {
  if (command.decision.kind !== 'edit') return undefined;
  const tool = deps.toolbox.of(call);
  if (!tool) {
    return {
      parsed: { ok: false, problems: [{ path: [], message: describeMissingTool(call) }] },
    };
  }
  const { args } = command.decision;
  const parsed = withoutSecrets(tool.parse(args), args, call, tool);
  if (!parsed.ok) return { parsed };
  const edited = { ...call, args: parsed.canonical };
  return { parsed, ...(await previewRun(deps, edited, tool, parsed.value)) };
}

/** Validation messages may quote secret values. */
function withoutSecrets(parsed: ParsedArgs, args: JsonValue, call: Call, tool: Tool): ParsedArgs {
  if (parsed.ok) return parsed;
  const masking = maskingOf([args], secretPathsOfCall(call, tool), { reveals: false });
  return {
    ok: false,
    problems: parsed.problems.map(({ message, path }) => ({
      path,
      message: maskWholeText(message, masking),
    })),
  };
}
