import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

type Claims = Readonly<Record<string, unknown>>;

export interface Account {
  readonly idToken: Claims;
  readonly userinfo: Claims;
}

/** The installation as the provider knows it. */
export const CLIENT = { id: 'colloquy', secret: 'a-secret-of-the-provider-0123456789' };

/** The package oidc-provider in a process of its own (oidc-provider.mjs). */
export class RealProvider {
  private constructor(
    private readonly child: ChildProcess,
    readonly issuer: string,
  ) {}

  static async start(options: {
    readonly callbackUrls: readonly string[];
    readonly authMethod?: 'client_secret_basic' | 'client_secret_post';
    /** Claims of the scope `profile`, besides the name. */
    readonly claimNames?: readonly string[];
  }): Promise<RealProvider> {
    const settings = {
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      authMethod: 'client_secret_basic',
      claimNames: ['roles'],
      ...options,
    };
    const child = fork(path.join(__dirname, 'oidc-provider.mjs'), [JSON.stringify(settings)], {
      execArgv: [],
      // Its notes on what production needs are of no use here.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }];
    return new RealProvider(child, issuer);
  }

  /** The people who may sign in, by their subjects; the same claims in ID token and userinfo. */
  async setPeople(people: Readonly<Record<string, Claims>>): Promise<void> {
    const both = Object.entries(people).map(([subject, claims]) => [
      subject,
      { idToken: claims, userinfo: claims },
    ]);
    await this.setAccounts(Object.fromEntries(both) as Record<string, Account>);
  }

  /** The same with different claims in ID token and userinfo. */
  async setAccounts(accounts: Readonly<Record<string, Account>>): Promise<void> {
    const stored = once(this.child, 'message');
    this.child.send({ accounts });
    await stored;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}
