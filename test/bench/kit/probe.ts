/** A process that measures one row on one store, and sends the numbers to its parent. */
import { BENCHES } from '../benches.ts';
import type { Site } from './bench.ts';

const [name = '', site = ''] = process.argv.slice(2);
const bench = BENCHES[name];
if (!bench) throw new Error(`There is no bench ${name}.`);
const numbers = await bench.probe(JSON.parse(site) as Site);
process.send?.(numbers);
