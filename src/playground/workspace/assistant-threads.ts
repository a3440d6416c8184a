/** A prompt that the app offers in a thread of its assistant pane. */
export interface SuggestedPrompt {
  readonly title: string;
  readonly message: string;
}

/** A thread of the assistant pane, with what the app set on it. */
export interface AssistantThread {
  readonly channel: string;
  readonly threadTs: string;
  readonly title?: string;
  readonly prompts: readonly SuggestedPrompt[];
}

/** The threads of everybody's assistant pane. */
export interface AssistantThreads {
  list(): readonly AssistantThread[];
  /** Sets what is given on the thread, which is made when there is none. */
  set(thread: Pick<AssistantThread, 'channel' | 'threadTs'> & Partial<AssistantThread>): void;
}

/** Creates an empty list that rings `changed` at each change. */
export function createAssistantThreads(changed: () => void): AssistantThreads {
  const threads = new Map<string, AssistantThread>();
  return {
    list: () => [...threads.values()],
    set: (thread) => {
      const key = `${thread.channel} ${thread.threadTs}`;
      threads.set(key, { prompts: [], ...threads.get(key), ...thread });
      changed();
    },
  };
}
