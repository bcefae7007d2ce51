/** How the form of the output is requested, strictest first. */
export type OutputFormat = 'json_schema' | 'json_in_text' | 'plain';
export type TokenLimitName = 'max_tokens' | 'max_completion_tokens';

/** A server's reason for rejecting a request. Empty: it gave none. */
export type RejectionReason = string;

const MISSES_UNTIL_LOWER = 2;

/**
 * What was learned about one server, in memory only, because servers with the same protocol differ
 * in what they support. Each capability changes at most a few times and never back, so learning
 * ends.
 *
 *   format: json_schema ──rejected, or twice no JSON──> json_in_text ──twice no JSON──> plain
 */
export class ServerCapabilities {
  private currentFormat: OutputFormat = 'json_schema';
  private usageIsAsked = true;
  private toolsAreOffered = true;
  private limitWasSwitched = false;
  private misses = 0;

  constructor(private limitName: TokenLimitName) {}

  get format(): OutputFormat {
    return this.currentFormat;
  }

  get asksForUsage(): boolean {
    return this.usageIsAsked;
  }

  get offersTools(): boolean {
    return this.toolsAreOffered;
  }

  get tokenLimitName(): TokenLimitName {
    return this.limitName;
  }

  /** Differs after each change. */
  get version(): string {
    const { currentFormat, usageIsAsked, toolsAreOffered, limitName } = this;
    return [currentFormat, usageIsAsked, toolsAreOffered, limitName].join(' ');
  }

  /** Learns from a rejected request; false when there is nothing left to change. */
  learnFromRejection(reason: RejectionReason, hadTools = false): boolean {
    // Tools go before the format, because without tools the code searches by itself.
    const isAboutTools = reason === '' || /\btools?\b|tool_|function/i.test(reason);
    if (hadTools && isAboutTools && this.dropTools()) return true;
    if (reason === '') return this.dropFormat() || this.dropUsage() || this.switchLimit();
    if (/stream_options|include_usage/i.test(reason)) return this.dropUsage();
    if (/max_(completion_)?tokens/i.test(reason)) return this.switchLimit();
    if (/response_format|json_schema|structured.?output|grammar/i.test(reason)) {
      return this.dropFormat();
    }
    return false;
  }

  /** Learns from a whole completion whether the server keeps the format; null: it had no text. */
  learnFromCompletion(format: OutputFormat, beginsLikeJson: boolean | null): void {
    if (beginsLikeJson === null) return;
    if (format !== this.currentFormat || format === 'plain') return;
    this.misses = beginsLikeJson ? 0 : this.misses + 1;
    if (this.misses < MISSES_UNTIL_LOWER) return;
    this.misses = 0;
    this.currentFormat = format === 'json_schema' ? 'json_in_text' : 'plain';
  }

  private dropFormat(): boolean {
    if (this.currentFormat !== 'json_schema') return false;
    this.currentFormat = 'json_in_text';
    this.misses = 0;
    return true;
  }

  private dropUsage(): boolean {
    const changed = this.usageIsAsked;
    this.usageIsAsked = false;
    return changed;
  }

  private dropTools(): boolean {
    const changed = this.toolsAreOffered;
    this.toolsAreOffered = false;
    return changed;
  }

  private switchLimit(): boolean {
    if (this.limitWasSwitched) return false;
    this.limitWasSwitched = true;
    this.limitName = this.limitName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    return true;
  }
}

/** OpenAI's newer models accept only the newer name; most other servers know the older one. */
export function capabilitiesOf(baseUrl: string): ServerCapabilities {
  const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).hostname === 'api.openai.com';
  return new ServerCapabilities(isOpenAi ? 'max_completion_tokens' : 'max_tokens');
}
