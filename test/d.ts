import { aCall } from './support/a-call.ts';
console.log(aCall().digest);
