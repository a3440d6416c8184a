/** Why a connection to a model failed, as text and with its code. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  describeConnectionFailure,
  redactAddress,
} from '../../../../src/agent/model/protocol/connection-failure.ts';
import { createProfileServer } from '../../../support/servers/profile-server.ts';

const coded = (code: string, options: ErrorOptions = {}) =>
  Object.assign(new Error('It failed.', options), { code });
const wrapped = (cause: unknown) =>
  new Error('Connection error.', { cause: new TypeError('fetch failed', { cause }) });

describe('the reason of a failed connection', () => {
  // biome-ignore format: a row of the table is a line.
  const FAILURES: readonly (readonly [what: string, error: unknown, said: string | undefined])[] = [
    ['a port without a server', wrapped(coded('ECONNREFUSED')), 'the connection was refused (ECONNREFUSED)'],
    ['all addresses of a name', wrapped(new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])), 'the connection was refused (ECONNREFUSED)'],
    ['an unknown name', wrapped(coded('ENOTFOUND')), 'the host name is unknown (ENOTFOUND)'],
    ['a certificate', wrapped(coded('CERT_HAS_EXPIRED')), 'its TLS certificate has expired (CERT_HAS_EXPIRED)'],
    ['a slow connection', wrapped(coded('UND_ERR_CONNECT_TIMEOUT')), 'the connection timed out (UND_ERR_CONNECT_TIMEOUT)'],
    ['the innermost of several codes', coded('OUTER', { cause: coded('ECONNRESET') }), 'the connection was closed (ECONNRESET)'],
    ['an unknown code', wrapped(coded('EODD')), 'EODD'],
    ['an error without a code', new Error('No.'), undefined],
  ];
  for (const [what, error, said] of FAILURES) {
    it(`is determined for ${what}`, () => assert.equal(describeConnectionFailure(error), said));
  }

  it('is given for https to a server that speaks http, and for circular causes', async (t) => {
    const server = await createProfileServer(() => ({}));
    t.after(() => server.stop());
    const failed = await fetch(server.url.replace('http:', 'https:')).catch((error) => error);
    assert.match(
      describeConnectionFailure(failed) ?? '',
      /^the TLS connection failed; the server may speak plain http \(\w+\)$/,
    );
    const circle = coded('EPIPE');
    circle.cause = circle;
    assert.match(describeConnectionFailure(circle) ?? '', /EPIPE/);
  });

  it('names the address without its secrets', () => {
    const address = 'https://user:hunter2@models.example.com:8443/v1?key=hunter2';
    assert.equal(redactAddress(address), 'https://models.example.com:8443/v1');
    assert.equal(redactAddress('http://localhost/'), 'http://localhost');
    assert.equal(redactAddress('no address'), '');
  });
});
