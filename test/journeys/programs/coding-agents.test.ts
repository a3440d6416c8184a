/** Scripts and coding agents with the real app: the examples of the documentation as written, and the official MCP client over both transports. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createCountersign, ProblemError } from '../../../src/client/countersign-client.ts';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { askPermissions } from '../../support/app/ask-permissions.ts';
import { allText } from '../../support/app/scene.ts';
import { type Stage, setStage } from '../../support/app/stage.ts';
import { makeKey, runKeys } from '../../support/builders/make-key.ts';
import { readmeSnippet } from '../../support/readme-snippet.ts';
import { caller } from '../../support/servers/mcp-caller.ts';
import { hasCurl, hasPython } from '../../support/system-needs.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = join(ROOT, 'bin/countersign.js');
const { PATH = '', HOME = '' } = process.env;

const serverOf = (text: string) => JSON.parse(text).mcpServers.countersign;
/** The examples of the documentation, adapted to this machine. */
const here = (text: string) => text.replace('/path/to/countersign/', ROOT);

describe('programs beside the real app', () => {
  let stage: Stage;
  let folder: string;
  let key: { readonly id: string; readonly token: string };
  const at = (name: string) => join(folder, name);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-outside-'));
    stage = await setStage('socket');
    key = await makeKey(stage.folder, 'cleanup');
  });
  after(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  const envOf = () => ({
    PATH,
    HOME,
    COUNTERSIGN_URL: stage.app().url,
    COUNTERSIGN_API_KEY: key.token,
  });

  function start(command: string, ...args: readonly string[]) {
    const child = spawn(command, args, { cwd: folder, env: envOf(), stdio: 'pipe' });
    const closed = once(child, 'close').then(([code]) => code as number | null);
    const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
      ([code, out, err]) => ({ code, out, err }),
    );
    return { child, ended };
  }

  /** Waits for the top-level card in the channel that shows this and can be decided. */
  async function card(part: string): Promise<WorkspaceMessage> {
    return await stage.workspace.waitFor(
      () =>
        stage.workspace
          .see('requester')
          .messages.find(
            (message) =>
              message.channel === 'C0GENERAL' &&
              allText(message).includes(part) &&
              /call\.(?:approve|reply)/.test(JSON.stringify(message.blocks)),
          ),
      {
        timeoutMs: 15_000,
        describe: () => `No card with ${part}.\n${stage.app().output().slice(-3_000)}`,
      },
    );
  }

  const press = async (part: string, action: string) =>
    await stage.press('requester', await card(part), action);

  async function submit(values: Readonly<Record<string, string>>): Promise<void> {
    await stage.workspace.waitFor(() => {
      const top = stage.workspace.see('requester').views.at(-1)?.view;
      return top?.type === 'modal' && top.submit ? top : undefined;
    });
    await stage.workspace.submit('requester', values);
  }

  async function edit(part: string, values: Readonly<Record<string, string>>): Promise<void> {
    await press(part, 'call.edit');
    await submit(values);
  }

  async function reply(part: string, text: string): Promise<void> {
    await press(part, 'call.reply');
    await submit({ reply: text });
  }

  it('the shell script of the documentation removes only what is approved', {
    skip: hasCurl() ? false : 'curl is missing',
  }, async () => {
    await writeFile(at('ask-rm.sh'), readmeSnippet('src/http/README.md', '# ask-rm.sh FILE'));
    for (const name of ['a "quoted" one.log', 'kept.log', 'edited.log'])
      await writeFile(at(name), '');
    const quoted = start('sh', 'ask-rm.sh', at('a "quoted" one.log'));
    await press('quoted', 'call.approve');
    assert.deepEqual(await quoted.ended, { code: 0, out: '', err: '' });
    assert.equal(existsSync(at('a "quoted" one.log')), false);

    const kept = start('sh', 'ask-rm.sh', at('kept.log'));
    await reply('kept.log', 'I still read it.');
    const { code, err } = await kept.ended;
    assert.deepEqual([code, err], [1, 'Not removed: replied. I still read it.\n']);
    assert.equal(existsSync(at('kept.log')), true);

    const edited = start('sh', 'ask-rm.sh', at('kept.log'));
    await edit('kept.log', { path: at('edited.log') });
    assert.equal((await edited.ended).code, 0);
    assert.deepEqual([existsSync(at('kept.log')), existsSync(at('edited.log'))], [true, false]);
  });

  it('the script treats any name as a name, and an edit without a file as a failure', {
    skip: hasCurl() ? false : 'curl is missing',
  }, async () => {
    await writeFile(at('ask-rm.sh'), readmeSnippet('src/http/README.md', '# ask-rm.sh FILE'));
    await writeFile(at('evil.cjs'), "fs.writeFileSync('ran', '');\n");
    const [option, broken] = ['--require=./evil.cjs', 'broken.log\n\n'];
    await mkdir(at('--require=.'));
    for (const name of [option, broken, 'broken.log', 'undefined']) await writeFile(at(name), '');
    const names = [start('sh', 'ask-rm.sh', option), start('sh', 'ask-rm.sh', broken)];
    await press('--require=', 'call.approve');
    await press('broken.log', 'call.approve');
    assert.deepEqual(
      (await Promise.all(names.map(({ ended }) => ended))).map(({ code, err }) => [code, err]),
      [
        [0, ''],
        [0, ''],
      ],
    );
    const nameless = start('sh', 'ask-rm.sh', 'nameless.log');
    await edit('nameless.log', { path: '' });
    assert.deepEqual(
      [(await nameless.ended).code, (await nameless.ended).err],
      [1, 'What was approved is no path of a file.\n'],
    );
    assert.deepEqual(
      ['ran', option, broken, 'broken.log', 'undefined'].map((name) => existsSync(at(name))),
      [false, false, false, true, true],
    );
  });

  it('the Python and TypeScript scripts do the same', {
    skip: hasPython() ? false : 'Python 3 is missing',
  }, async () => {
    await writeFile(at('ask_rm.py'), readmeSnippet('src/http/README.md', '# ask_rm.py FILE'));
    await writeFile(at('ask-rm.mts'), readmeSnippet('src/http/README.md', '// ask-rm.mts FILE'));
    const client = 'countersign-client.ts';
    await copyFile(join(ROOT, 'src/client', client), at(client));
    for (const name of ['python.log', 'typescript.log', 'typed.log']) await writeFile(at(name), '');
    const tsx = ['--import', import.meta.resolve('tsx'), 'ask-rm.mts'];
    const runs = [
      start('python3', 'ask_rm.py', at('python.log')),
      start(process.execPath, ...tsx, at('typescript.log')),
      start(process.execPath, ...tsx, at('typed.log')),
    ];
    await press('python.log', 'call.approve');
    await press('typescript.log', 'call.approve');
    await reply('typed.log', 'Not this one.');
    const [python, typescript, typed] = await Promise.all(runs.map(({ ended }) => ended));
    assert.deepEqual([python?.code, python?.err], [0, '']);
    assert.deepEqual([typescript?.code, typescript?.err], [0, '']);
    assert.deepEqual([typed?.code, typed?.err], [1, 'Not removed: Not this one.\n']);
    assert.deepEqual(
      ['python.log', 'typescript.log', 'typed.log'].map((name) => existsSync(at(name))),
      [false, false, true],
    );
  });

  it('permissions of a coding agent over stdio become cards, and so do tools that its hook asks about', async (t) => {
    const { command, args } = serverOf(readmeSnippet('src/mcp/README.md', '"command": "node"'));
    const transport = new StdioClientTransport({
      command,
      args: args.map(here),
      env: envOf(),
      cwd: folder,
      stderr: 'pipe',
    });
    const errors: string[] = [];
    transport.stderr?.on('data', (chunk) => errors.push(String(chunk)));
    const client = new Client({ name: 'test', version: '1' });
    t.after(() => client.close());
    await client.connect(transport);
    await askPermissions(caller(client), 'over-stdio', { edit, press, reply });
    assert.deepEqual(errors, []);

    // The .env of a folder does not redirect the hook to another server.
    await writeFile(at('.env'), 'COUNTERSIGN_URL=http://127.0.0.1:1\n');
    const settings = JSON.parse(readmeSnippet('src/mcp/README.md', '"PreToolUse"'));
    const [program = '', ...flags] = here(settings.hooks.PreToolUse[0].hooks[0].command).split(' ');
    const hook = start(program, ...flags, '--tools', 'Bash');
    const event = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls hooked' },
    };
    hook.child.stdin?.end(JSON.stringify(event));
    await press('ls hooked', 'call.approve');
    const { code, out, err } = await hook.ended;
    assert.deepEqual([code, err], [0, '']);
    const { hookSpecificOutput } = JSON.parse(out);
    assert.equal(hookSpecificOutput.permissionDecision, 'allow');
    assert.deepEqual(hookSpecificOutput.updatedInput, { command: 'ls hooked' });

    const left = start(process.execPath, PROGRAM, 'hook');
    left.child.stdin?.end(JSON.stringify({ ...event, tool_input: { command: 'ls left' } }));
    const open = await card('ls left');
    left.child.kill('SIGTERM');
    assert.match((await left.ended).out, /"deny".*stopped while people were deciding/);
    await stage.workspace.waitFor(() =>
      stage.workspace
        .see('requester')
        .messages.find(
          ({ ts, blocks }) => ts === open.ts && !/call\.approve/.test(JSON.stringify(blocks)),
        ),
    );

    const broken = start(process.execPath, PROGRAM, 'hook', '--tool', 'Bash');
    broken.child.stdin?.end('{}');
    assert.equal((await broken.ended).code, 2);
  });

  it('permissions over HTTP do too, until the key is revoked, which ends what is pending', async (t) => {
    const { id, token } = await makeKey(stage.folder, 'agent');
    const shown = serverOf(readmeSnippet('src/mcp/README.md', '"type": "http"'));
    const headers = { authorization: shown.headers.Authorization.replace('csk_…', token) };
    const url = new URL(new URL(shown.url).pathname, stage.app().url);
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    const client = new Client({ name: 'test', version: '1' });
    t.after(() => client.close());
    await client.connect(transport as never);
    const call = caller(client);
    await askPermissions(call, 'over-http', { edit, press, reply });

    const question = call('ask_human', { question: 'Which colour?' });
    await reply('Which colour?', 'Green.');
    const { structured } = await question;
    assert.deepEqual([structured.decision, structured.reply], ['answered', 'Green.']);

    const others = await makeKey(stage.folder, 'another');
    const told: string[] = [];
    for (const approval_id of [String(structured.approval_id), 'call_none']) {
      const client = createCountersign({ url: stage.app().url, key: others.token });
      await assert.rejects(client.getApproval(approval_id), (error) => {
        assert(error instanceof ProblemError);
        return told.push(`${error.status} ${error.message}`) > 0;
      });
    }
    assert.equal(told[0], told[1]);

    // Input deeper or longer than people could read is refused, and nothing crashes.
    const post = async (input: string) => {
      const params = `{"name":"permission_prompt","arguments":{"tool_name":"Bash","input":${input}}}`;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
        },
        body: `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":${params}}`,
      });
      return { status: response.status, text: await response.text() };
    };
    const [depth, long] = [100_000, 'x'.repeat(400_000)];
    const deep = await post(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
    assert.equal(deep.status, 400);
    assert.match(deep.text, /levels deep/);
    const { status, text } = await post(`{"a":"${long}"}`);
    assert.equal(status, 200);
    assert.match(text, /\\"behavior\\":\\"deny\\"/);
    assert.equal((await post(`{"a":"${long.repeat(3)}"}`)).status, 413);

    const waiting = call('permission_prompt', { tool_name: 'Bash', input: { command: 'ls late' } });
    await card('ls late');
    const revokedAt = performance.now();
    await runKeys(stage.folder, 'revoke', id);
    const { behavior, message } = JSON.parse((await waiting).text);
    assert(performance.now() - revokedAt < 2_000, 'It took longer than a second.');
    assert.equal(behavior, 'deny');
    assert.match(message, /revoked/);
    await assert.rejects(call('get_approval', { approval_id: 'x' }), /revoked|401|key/);
  });
});
