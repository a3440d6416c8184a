import type { ChatModel } from '../create-chat-model.ts';

/** Where a provider is reached, and as whom. */
export interface ProviderAccess {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** A provider that is reached through a package of its own. */
export interface Provider {
  readonly package: string;
  /** The version that was tested. */
  readonly version: string;
  readonly baseUrl: string;
  /** Opens a model with what the package exports; throws when that is not what it should be. */
  open(exported: unknown, access: ProviderAccess): ChatModel['stream'];
}

type Construct = new (fields: Readonly<Record<string, unknown>>) => object;

/** Finds an exported class; throws when it is not there. */
export function exportedClass(exported: unknown, name: string): Construct {
  // The exports of a module are an object without a prototype.
  const all = typeof exported === 'object' && exported !== null ? exported : {};
  const found: unknown = (all as Readonly<Record<string, unknown>>)[name];
  if (typeof found !== 'function') throw new TypeError(`it exports no ${name}`);
  return found as Construct;
}

/** Takes a method of an object; throws when it has none of this name. */
export function methodOf(owner: object, name: string): (...args: readonly unknown[]) => unknown {
  const found: unknown = (owner as Readonly<Record<string, unknown>>)[name];
  if (typeof found !== 'function') throw new TypeError(`it has no method ${name}`);
  return found as (...args: readonly unknown[]) => unknown;
}
