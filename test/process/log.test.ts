import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../src/process/log.ts';

function aLog(options: { level?: string; secrets?: (string | undefined)[] } = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'trace', ...options, destination });
  return { log, lines, text: () => lines.join('') };
}

/** Assembled from pieces, so that secret scanners do not report this file. */
const CREDENTIALS = [
  ['xoxb', '1234', '5678', 'AbCdEfGh'].join('-'),
  ['xoxp', '1234', '5678', 'AbCdEfGh'].join('-'),
  ['xoxe.xoxp', '1', 'AbCdEfGh'].join('-'),
  ['xapp', '1', 'A0123', '456', 'abcdef'].join('-'),
  ['sk', 'proj', 'AbCdEfGhIjKlMnOp_q'].join('-'),
  ['sk', 'AbCdEfGhIjKlMnOp'].join('-'),
  ['tvly', 'dev', 'AbCdEfGhIjKl'].join('-'),
  ['csk', '0123456789abcdef', 'AbCdEfGhIjKl-m_n'].join('_'),
  'Bearer AbCdEfGhIjKl.MnOp',
  'bearer AbCdEfGhIjKl',
  'https://hooks.slack.com/actions/T012/345/AbCdEfGh',
  'wss://wss-primary.slack.com/link/?ticket=AbCdEfGh&app_id=1',
  'redis://someone:AbCdEfGh@db.example/0',
];

for (const credential of CREDENTIALS) {
  test(`${credential.slice(0, 12)}… is never logged, at any position`, () => {
    const { log, text } = aLog();
    const cause = new Error(`refused with\n${credential}`);
    log.info({ value: credential, list: [{ deep: `(${credential})` }] }, `Sent\t${credential}.`);
    log.error({ err: new Error(`"${credential}"`, { cause }), [credential]: 1 }, credential);
    log.child({ bound: credential }).warn(`a=${credential}`);
    assert.equal(text().split('\n').length, 4);
    assert.match(text(), /\[redacted\]/);
    assert.doesNotMatch(text(), /AbCdEfGh|5678|A0123/);
  });
}

test('registered secrets are never logged, whatever they look like', () => {
  const { log, text } = aLog({ secrets: ['0123456789abcdef', 'with "quotes" in it', undefined] });
  log.info({ a: 'v0=0123456789abcdef' }, 'with "quotes" in it');
  assert.doesNotMatch(text(), /0123456789abcdef|quotes/);
});

test('text that only resembles a credential is not masked', () => {
  const { log, text } = aLog({ secrets: ['x'] });
  log.info('task-force-of-many-people asks for sk-learn at http://localhost:3000/x@y, basic words');
  assert.match(
    text(),
    /task-force-of-many-people asks for sk-learn at http:\/\/localhost:3000\/x@y, basic words/,
  );
});

test('an error is logged with its name, code, message, stack and causes, and nothing else', () => {
  const { log, lines } = aLog();
  const request = { data: 'the argument of a tool' };
  const cause = Object.assign(new TypeError('connect'), { code: 'ECONNREFUSED', request });
  const err = Object.assign(new Error('Slack failed', { cause }), { original: cause, request });
  log.error({ err }, 'not sent');
  assert.doesNotMatch(lines.join(), /argument of a tool/);
  const { err: written } = JSON.parse(lines[0] ?? '');
  assert.deepEqual(Object.keys(written), ['type', 'message', 'stack', 'cause']);
  assert.equal(written.cause.code, 'ECONNREFUSED');
  assert.equal(written.cause.type, 'TypeError');
});

test('every line is JSON with its level name and time', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...CREDENTIALS),
      (words, credential) => {
        const { log, lines } = aLog({ secrets: [words] });
        log.info({ words, both: `${words}${credential}` }, `${credential}${words}`);
        const line = JSON.parse(lines[0] ?? '');
        assert.equal(line.level, 'info');
        assert(!Number.isNaN(Date.parse(line.time)));
      },
    ),
  );
});

test('lines below the configured level are not logged', () => {
  const { log, lines } = aLog({ level: 'warn' });
  log.info('quiet');
  log.warn('loud');
  assert.equal(lines.length, 1);
});
