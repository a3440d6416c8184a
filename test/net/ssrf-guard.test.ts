import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, test } from 'node:test';
import { addressProblem, PUBLIC_INTERNET, resolvePublic } from '../../src/net/ssrf-guard.ts';

const NOT_PUBLIC = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1'],
  ...['192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1'],
  ...['240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '100::1', '2001::1', '2001:2::1', '2001:10::1'],
  ...['2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1', 'fc00::1', 'fd12::1', 'fe80::1'],
  ...['fe80::1%eth0', 'fec0::1', 'ff02::1', '4000::1', 'e000::1', '', 'page.test'],
  // Addresses that cloud providers serve to their own machines: metadata, hosts, private endpoints.
  ...['168.63.129.16', '100.100.100.200', '169.254.169.253', '169.254.42.42', '192.0.0.192'],
  ...['199.36.153.4', '199.36.153.11', '161.26.0.10', '166.9.1.1', '2600:2d00:2:1000::1'],
  ...['fd00:ec2::254', 'fd20:ce::254', '::ffff:168.63.129.16', '::ffff:a83f:8110'],
  ...['64:ff9b::a83f:8110', '64:ff9b:1::a83f:8110', '2002:a83f:8110::1', '::a83f:8110'],
  ...['2001:0:a83f:8110::1', '2606:4700::5efe:a83f:8110', '2606:4700::200:5efe:a83f:8110'],
];
const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '93.184.215.14',
  '168.63.129.17',
  '199.36.153.12',
  '2606:4700::1111',
];

test('only addresses of the public internet are public, in every notation', () => {
  for (const address of NOT_PUBLIC) assert.equal(PUBLIC_INTERNET.isPublic(address), false, address);
  for (const address of PUBLIC) assert.equal(PUBLIC_INTERNET.isPublic(address), true, address);
});

test('this machine’s own addresses are refused, whatever they are', (t) => {
  assert.equal(PUBLIC_INTERNET.isPublic('8.8.4.4'), true);
  const own = [{ address: '8.8.4.4' }, { address: '2606:4700:0:0::1' }];
  t.mock.method(os, 'networkInterfaces', () => ({ eth0: own }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  for (const address of ['8.8.4.4', '2606:4700::1']) {
    assert.equal(PUBLIC_INTERNET.isPublic(address), false, address);
  }
  assert.equal(PUBLIC_INTERNET.isPublic('8.8.8.8'), true);
});

describe('an address is refused without a network request', () => {
  const REFUSED: readonly (readonly [url: string, why: RegExp])[] = [
    ['ftp://example.com/', /Only http and https/],
    ['file:///etc/passwd', /Only http and https/],
    ['http://user@example.com/', /user name or a password/],
    ['http://:secret@example.com/', /user name or a password/],
    ['http://example.com:22/', /Port 22 can’t be fetched/],
    ['https://example.com:8443/', /Port 8443/],
    ['http://127.0.0.1/', /not an address of the public internet/],
    ['http://0x7f.1/', /127\.0\.0\.1 is not an address/],
    ['http://2130706433/', /127\.0\.0\.1 is not/],
    ['http://017700000001/', /127\.0\.0\.1 is not/],
    ['http://169.254.169.254/latest/meta-data/', /not an address/],
    ['http://168.63.129.16/machine?comp=goalstate', /168\.63\.129\.16 is not an address/],
    ['http://0xa83f8110/', /168\.63\.129\.16 is not/],
    ['http://[::1]/', /\[::1\] is not/],
    ['http://[::ffff:169.254.169.254]/', /is not an address/],
    ['http://[64:ff9b::a9fe:a9fe]/', /is not an address/],
  ];
  for (const [url, why] of REFUSED) {
    test(url, () => assert.match(addressProblem(new URL(url), PUBLIC_INTERNET) ?? '', why));
  }

  test('public addresses are allowed', () => {
    for (const url of ['http://example.com/', 'https://example.com:443/a', 'http://8.8.8.8:80/']) {
      assert.equal(addressProblem(new URL(url), PUBLIC_INTERNET), undefined);
    }
  });
});

test('a name is refused when any of its addresses is not public', async () => {
  const reach = {
    ...PUBLIC_INTERNET,
    resolve: async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  };
  await assert.rejects(
    resolvePublic('two.test', reach),
    /two\.test leads to 10\.0\.0\.1, which is not/,
  );
  await assert.rejects(
    resolvePublic('localhost', PUBLIC_INTERNET),
    /localhost leads to .*, which is not/,
  );
});
