/** The endpoint of an MCP server. */
export type ServerEndpoint =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      /** `sse` is the protocol's older HTTP transport. */
      readonly kind: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** The operator's settings for an MCP server. */
export interface ServerSettings {
  readonly name: string;
  readonly reach: ServerEndpoint;
  /** Start timeout in milliseconds. (Default: 120 s for a process, 30 s for an address.) */
  readonly startMs?: number;
  /** Call timeout in milliseconds, if shorter than for other tools. */
  readonly callMs?: number;
}
