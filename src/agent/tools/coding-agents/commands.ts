import { z } from 'zod';
import { describeCommand } from '../command/describe-command.ts';
import {
  type ArgumentReaders,
  createArgumentReader,
  flag,
  number,
  some,
  type ToolUseDescription,
  text,
  words,
} from './argument-reader.ts';

const run = (command: string): ToolUseDescription => ({
  summary: describeCommand(command),
  preview: `$ ${command}`,
});

export const COMMAND_READERS: ArgumentReaders = [
  [
    ['Bash', 'bash', 'BashTool'],
    createArgumentReader(
      {
        command: some,
        description: words,
        timeout: number,
        run_in_background: flag,
        dangerouslyDisableSandbox: flag,
        workdir: words,
      },
      ({ command, dangerouslyDisableSandbox: isUnsandboxed }) => {
        const description = run(command);
        return isUnsandboxed
          ? {
              summary: `Without sandbox: ${description.summary}`,
              preview: `Without sandbox:\n$ ${command}`,
            }
          : description;
      },
    ),
  ],
  [
    ['Shell', 'execute', 'execute_bash'],
    createArgumentReader(
      { command: some, description: words, cwd: words, working_directory: words, timeout: number },
      ({ command }) => run(command),
    ),
  ],
  [
    ['run_shell_command'],
    createArgumentReader(
      { command: some, description: words, directory: words, dir_path: words, is_background: flag },
      ({ command }) => run(command),
    ),
  ],
  [
    ['run_in_terminal'],
    createArgumentReader(
      { command: some, explanation: words, goal: words, isBackground: flag, timeout: number },
      ({ command }) => run(command),
    ),
  ],
  [
    ['execute_command'],
    createArgumentReader(
      { command: some, requires_approval: z.union([z.boolean(), text]).optional(), cwd: words },
      ({ command }) => run(command),
    ),
  ],
  [
    ['shell', 'local_shell', 'container.exec'],
    createArgumentReader(
      {
        command: z.array(text).min(1),
        workdir: words,
        timeout: number,
        timeout_ms: number,
        justification: words,
        with_escalated_permissions: flag,
        sandbox_permissions: words,
      },
      ({ command }) => run(joinCommand(command)),
    ),
  ],
  [
    ['exec_command', 'shell_command'],
    createArgumentReader(
      {
        cmd: some.optional(),
        command: some.optional(),
        workdir: words,
        justification: words,
        login: flag,
        tty: flag,
        timeout_ms: number,
        yield_time_ms: number,
        max_output_tokens: number,
        with_escalated_permissions: flag,
        sandbox_permissions: words,
      },
      ({ cmd, command }) => {
        const [only, other] = [cmd, command].filter((each) => each !== undefined);
        return only === undefined || other !== undefined ? undefined : run(only);
      },
    ),
  ],
];

/** Returns the script of `bash -lc`; otherwise joins the words with shell quoting. */
function joinCommand(command: readonly string[]): string {
  const [shell = '', how = '', script] = command;
  const isScript =
    command.length === 3 &&
    /^(?:\/bin\/|\/usr\/bin\/)?(?:ba|z)?sh$/.test(shell) &&
    /^-l?c$/.test(how);
  if (isScript && script !== undefined && script.trim() !== '') return script;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
