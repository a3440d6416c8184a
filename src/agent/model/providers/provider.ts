import type { ChatModel } from '../create-chat-model.ts';

/** The model, address and key of a provider. */
export interface ProviderAccess {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** A provider that needs its own npm package. */
export interface Provider {
  readonly package: string;
  /** The tested version of the package. */
  readonly version: string;
  readonly baseUrl: string;
  /** Opens a model with the package's exports. Throws if an expected export is missing. */
  open(exported: unknown, access: ProviderAccess): ChatModel['stream'];
}

type Construct = new (fields: Readonly<Record<string, unknown>>) => object;

/** Returns an exported class. Throws if it is missing. */
export function exportedClass(exported: unknown, name: string): Construct {
  // A module's exports have no prototype, so `instanceof Object` is false.
  const all = typeof exported === 'object' && exported !== null ? exported : {};
  const found: unknown = (all as Readonly<Record<string, unknown>>)[name];
  if (typeof found !== 'function') throw new TypeError(`it exports no ${name}`);
  return found as Construct;
}

/** Returns a method of an object. Throws if it is missing. */
export function methodOf(owner: object, name: string): (...args: readonly unknown[]) => unknown {
  const found: unknown = (owner as Readonly<Record<string, unknown>>)[name];
  if (typeof found !== 'function') throw new TypeError(`it has no method ${name}`);
  return found as (...args: readonly unknown[]) => unknown;
}
