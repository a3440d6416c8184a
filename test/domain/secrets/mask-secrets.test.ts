import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../src/domain/json/json.ts';
import {
  maskArgument,
  maskingOf,
  maskText,
  maskWholeText,
  plainMasking,
} from '../../../src/domain/secrets/mask-secrets.ts';
import { createTextFinder } from '../../../src/domain/text/text-finder.ts';

const GUESS = plainMasking({ reveals: false });
const OPERATORS = { hidden: ['key'], claimed: [] };
const CALLERS = { hidden: [], claimed: ['key'] };

function own(key: JsonValue) {
  return maskingOf([{ key }], OPERATORS, { reveals: true });
}

describe('text that looks like a secret', () => {
  for (const [what, text] of [
    ['a bearer token', 'Authorization: Bearer \n  abcdef123456ghi'],
    ['an API key', `sk-${'a'.repeat(60)}B${'c'.repeat(60)}7`],
    ['a JSON Web Token', `eyJ${'hbGciOi_J'.repeat(60)}.eyJzdWIiOiIx.c2ln`],
    ['a JSON Web Token', 'see token.x-eyJhbGciOiJ9.eyJzdWIiOiIx.c2ln.'],
    ['an API key', `prod-sk-proj-A1${'b'.repeat(20)}`],
    [
      'a private key',
      `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(60)}\n-----END RSA PRIVATE KEY-----`,
    ],
    ['a password in a URL', 'https://user:pass@example.test'],
  ] as const) {
    it(`is masked: ${what}, ${text.slice(0, 12)}`, () => {
      const { parts, secrets } = maskText(`x ${text} y`, GUESS);
      assert.equal(secrets.guessed, 1);
      assert.match(parts.join(''), new RegExp(`hidden: ${what}`));
    });
  }

  it('is shown to a person who has opened the call, and counted', () => {
    const text = 'curl -H "Authorization: Bearer rm4-rf5-root"';
    const { parts, secrets } = maskText(text, plainMasking({ reveals: true }));
    assert.deepEqual([parts, secrets.guessed], [[text], 1]);
  });

  for (const filler of [' ', '\n', 'sk-', 'eyJ-', 'eyJ.', 'Bearer ', 'http://a:', '-----BEGIN ']) {
    it(`is searched quickly in 256 KB of ${JSON.stringify(filler)}`, () => {
      const text = filler.repeat(262_144 / filler.length);
      assertQuick(() => assert.equal(maskText(text, GUESS).secrets.guessed, 0));
    });
  }
});

/** This takes about 20 ms, or ten times that if the time is quadratic; a busy machine needs more. */
function assertQuick(work: () => void): void {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { system, user } = process.cpuUsage(before);
    return (system + user) / 1_000;
  });
  assert.ok(Math.min(...times) < 250, `${times.join(', ')} ms`);
}

describe('a declared secret', () => {
  const SECRET = 'p4ss “wörd”/+&?\n2nd line';
  const basic = (before: string) => Buffer.from(`${before}${SECRET}:end`).toString('base64');

  for (const [how, text] of [
    ['as it is', SECRET],
    ['as JSON writes it', JSON.stringify(SECRET)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ a: SECRET }))],
    ['line by line', '+p4ss “wörd”/+&?\n+2nd line'],
    ['percent-encoded', `?p=${encodeURIComponent(SECRET)}`],
    ['percent-encoded in small letters', `?p=${encodeURIComponent(SECRET).toLowerCase()}`],
    ['as a form', `p=${encodeURIComponent(SECRET).replaceAll('%20', '+')}`],
    ['in Base64', Buffer.from(SECRET).toString('base64')],
    ['in Base64 for URLs', Buffer.from(SECRET).toString('base64url')],
    ['in Base64 after a name of one character', basic('a')],
    ['in Base64 after a name of two', basic('a:')],
    ['in Base64 after a name of three', basic('ab:')],
  ] as const) {
    it(`is masked in every form: ${how}`, () => {
      const shown = maskWholeText(`x ${text} y`, own(SECRET));
      assert.match(shown, /⟨hidden: a secret⟩/);
      assert.doesNotMatch(shown, /p4ss|2nd|P4SS|cDRzc|A0c3Mg|wNHNz/);
    });
  }

  it('is masked together with another one that overlaps it', () => {
    const masking = own({ a: 'abcdef', b: 'defghi' });
    assert.equal(maskWholeText('abcdefghi', masking), '⟨hidden: a secret⟩');
  });

  it('that is short is masked only in its own field', () => {
    assert.equal(
      maskWholeText('a 1 and an abc', own({ a: 1, b: 'abc', c: true })),
      'a 1 and an abc',
    );
    assert.equal(maskWholeText('pin 4711', own(4711)), 'pin ⟨hidden: a secret⟩');
  });

  it('of the operator stays masked for everybody, also in another argument, and repeats are counted', () => {
    const { parts, secrets } = maskArgument('echo hunter2', own('hunter2'));
    assert.equal(parts.join(''), 'echo ⟨hidden: a secret⟩');
    assert.deepEqual([secrets.repeated, secrets.hidden], [1, 0]);
  });

  it('of an external tool is fully visible to a person who has opened the call', () => {
    const args = [{ key: 'rm -', command: 'rm -rf /' }];
    const masked = maskingOf(args, CALLERS, { reveals: false });
    const opened = maskingOf(args, CALLERS, { reveals: true });
    assert.equal(maskWholeText('rm -rf /', masked), '⟨hidden: marked as secret⟩rf /');
    assert.equal(maskWholeText('rm -rf /', opened), 'rm -rf /');
    assert.equal(maskText('rm -rf /', opened).secrets.claimed, 1);
  });
});

describe('searching for many texts', () => {
  it('finds the same as separate searches', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 6 }), letters, (wanted, text) => {
        const covered = new Set<number>();
        for (const each of wanted.filter((one) => one !== '')) {
          for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
            for (let i = at; i < at + each.length; i += 1) covered.add(i);
          }
        }
        const finder = createTextFinder(wanted.map((each) => ({ text: each, owner: each })));
        const found = finder.find(text);
        const all = found.flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, i) => from + i),
        );
        assert.deepEqual(
          all,
          [...covered].sort((a, b) => a - b),
        );
        assert.equal(new Set(all).size, all.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds long texts too, at any position and beside others', () => {
    const long = `${'ab'.repeat(6_000)}c`;
    const finder = createTextFinder([
      { text: long, owner: 'long' },
      { text: 'cab', owner: 'short' },
    ]);
    const text = `ab${long}ab ${long}`;
    const first = { from: 2, to: 2 + long.length + 2, owner: 'long' };
    const second = { from: first.to + 1, to: text.length, owner: 'long' };
    assert.deepEqual(finder.find(text), [first, second]);
    assert.deepEqual(finder.find('abab'), []);
  });

  it('treats every text as a secret if there are too many secrets to search for', () => {
    const wanted = Array.from({ length: 20_000 }, (_, i) => ({
      text: `secret-${i}`,
      owner: `${i}`,
    }));
    const found = createTextFinder(wanted).find('anything');
    assert.deepEqual(
      found.map(({ from, to }) => [from, to]),
      [[0, 8]],
    );
  });

  it('masks everything after many tokens of one kind', () => {
    const text = `${'AKIAABCDEFGHIJKLMNOP '.repeat(600)}and more`;
    const { parts, secrets } = maskText(text, plainMasking({ reveals: false }));
    assert.equal(secrets.guessed, 501);
    assert.equal(parts.at(-1), '');
    assert.doesNotMatch(parts.join(''), /AKIA|and more/);
  });

  for (const [what, secrets, text] of [
    ['many short secrets', Array.from({ length: 8_000 }, (_, i) => `key-${i}-secret`), 'key-1'],
    ['one long secret that is nearly there', [`${'a'.repeat(120_000)}b`], 'a'],
    ['ends of one another', Array.from({ length: 480 }, (_, i) => 'a'.repeat(i + 4)), 'a'],
    [
      'long words of other scripts',
      Array.from({ length: 120 }, (_, i) => `${i}${'字'.repeat(500)}`),
      '字',
    ],
  ] as const) {
    it(`takes no longer with ${what}`, () => {
      const looked = text.repeat(128_000 / text.length);
      assertQuick(() => {
        maskText(looked, maskingOf([{ key: secrets }], OPERATORS, { reveals: false }));
      });
    });
  }
});
