/** How an MCP server is reached. */
export type ServerEndpoint =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      /** `sse` is the protocol's older way over HTTP. */
      readonly kind: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** An MCP server, as the operator has set it. */
export interface ServerSettings {
  readonly name: string;
  readonly reach: ServerEndpoint;
  /** How long it may take to start. (Default: 120 s for a process, 30 s for an address.) */
  readonly startMs?: number;
  /** How long a call may take, where that is less than for other tools. */
  readonly callMs?: number;
}
