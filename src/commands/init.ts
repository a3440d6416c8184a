import { open } from 'node:fs/promises';
import { DEFAULT_POLICY_FILE } from '../config/setting-variables.ts';
import { type CommandDeps, EXIT, type ExitCode } from './command.ts';
import { parseArguments } from './parse-arguments.ts';

/**
 * Writes a starter .env and policy.yaml into the current folder. Existing files are not changed.
 */
export async function initFolder(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  parseArguments({ args: [...args], options: {} });
  const written: string[] = [];
  for (const { mode, path, text } of STARTER_FILES) {
    const outcome = await writeNew(path, text, mode);
    if (outcome === 'written') written.push(path);
    else if (outcome === 'exists') deps.out(`${path} exists already and was not changed.`);
    else {
      deps.err(
        `${path} can't be written: ${outcome.why}. Run this in a folder where you can write.`,
      );
      return EXIT.problems;
    }
  }
  for (const path of written) deps.out(`Wrote ${path}.`);
  deps.out(NEXT);
  return EXIT.fine;
}

/** Creates the file. Fails if the path exists, even as a dangling link. */
async function writeNew(
  path: string,
  text: string,
  mode: number,
): Promise<'written' | 'exists' | { readonly why: string }> {
  try {
    const file = await open(path, 'wx', mode);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return 'written';
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return error.code === 'EEXIST' ? 'exists' : { why: error.message };
  }
}

const NEXT = `Next: “npm start” opens the playground. To use your own workspace, fill in the Slack and model
settings in .env, then run “npx --no -- countersign doctor”. It says what is still missing.`;

const ENV = `# Settings of Countersign. An empty value counts as unset.
# .env.example in the Countersign folder explains every setting. Keep this file private: it holds tokens.

# --- Slack -------------------------------------------------------------------------------------
# While all of these are empty, "npm start" opens the playground: a simulated workspace in your browser.
# To use your own workspace, create the Slack app from manifest.yml at https://api.slack.com/apps.

# The bot token, which starts with xoxb-. In your Slack app: "OAuth & Permissions".
SLACK_BOT_TOKEN=
# The app-level token, which starts with xapp-, with the scope connections:write. In your Slack app:
# "Basic Information".
SLACK_APP_TOKEN=

# --- Model -------------------------------------------------------------------------------------
# Your own workspace needs a model. Without one, the playground answers from a script.

# The key of OpenAI.
OPENAI_API_KEY=
# For any other server with OpenAI's protocol, its address. For example http://localhost:11434/v1
OPENAI_BASE_URL=
# The model, as provider/name. (Default: openai/gpt-4o-mini)
MODEL=

# --- People ------------------------------------------------------------------------------------
# Who may pause the app and set routes, besides the admins of the workspace: member IDs, separated by
# commas. In Slack: open a profile, click the three dots, choose "Copy member ID".
ADMIN_USERS=
`;

const POLICY = `# Rules for the tool calls of the agent. The first rule that matches a call decides:
#   gate: run     the call runs without asking
#   gate: ask     people are asked first, on the route that the rule names
#   gate: refuse  the call never runs
# After a change, run: npx --no -- countersign policy check

version: 1

# Who may approve. The route "requester" is built in: the person who asked the agent approves.
# To have others approve, remove the "#" below and name your own channel, people or user groups:
# routes:
#   ops:
#     channel: "#ops"              # where the card goes. Without it: the thread.
#     approvers: ["@ops-approvers"]
#     quorum: 2                    # how many of them have to approve
#     deadline: 4h                 # after this the call expires

rules:
  # Reading changes nothing, so it runs without asking.
  - tools: [list_files, read_file, search_files, task]
    gate: run

  # Commands that delete, or that need more rights, are always refused.
  - tools: [run_command]
    when: args.command.matches("(^|[^a-z])(rm|sudo)([^a-z]|$)")
    gate: refuse
    reason: Commands with rm or sudo are not allowed here.

  # All other commands need an approval, and the card shows a warning.
  - tools: [run_command]
    gate: ask
    route: requester
    risk: high

# Everything else needs the approval of the person who asked.
default:
  gate: ask
  route: requester
`;

/** The files to write. `.env` holds tokens, so only its owner may read it. */
const STARTER_FILES = [
  { path: '.env', text: ENV, mode: 0o600 },
  { path: DEFAULT_POLICY_FILE.replace('./', ''), text: POLICY, mode: 0o644 },
] as const;
