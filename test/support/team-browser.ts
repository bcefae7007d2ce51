/** A browser of a colleague: it keeps cookies by host and path, and follows redirects as far as it is told. */
export class TeamBrowser {
  private readonly cookies = new Map<string, Cookie>();

  /**
   * `appUrl`: where the application really listens; `publicUrl`: the address that the browser sees of it, which is
   * PUBLIC_URL.
   */
  constructor(
    private readonly appUrl: string,
    private readonly publicUrl: string,
    /** Its own address, behind a proxy that is trusted. */
    private readonly address = '192.0.2.1',
  ) {}

  /** One GET of a path of the application, without following. */
  async get(place: string): Promise<Response> {
    return this.fetch(new URL(place, this.publicUrl));
  }

  /**
   * Opens a path of the application and follows redirects until it is back there, but not further: returns the
   * address that the provider sent it to, or the application's own redirect where there was none to a provider.
   * `page`: what the person does on the provider's sign-in page, as its query.
   */
  async toCallback(place: string, page: string): Promise<URL> {
    let at = new URL(place, this.publicUrl);
    for (let hops = 0; hops < MAX_HOPS; hops += 1) {
      const response = await this.fetch(at);
      const location = response.headers.get('location');
      const body = await response.text();
      if (location === null) throw new Error(`${at.pathname}: ${response.status} ${body}`);
      at = new URL(location, at);
      if (this.isOwn(at)) return at;
      if (at.pathname.startsWith('/interaction/')) at.search = page;
    }
    throw new Error('too many redirects');
  }

  /** Signs in at the provider; returns where the application leads. */
  async signIn(page: string, query = ''): Promise<string> {
    const callback = await this.toCallback(`/api/v1/team/oidc${query}`, page);
    return this.follow(callback);
  }

  /** Opens an address of the application; returns its redirect, as a path. */
  async follow(address: URL): Promise<string> {
    if (!address.pathname.startsWith('/api/')) return pathOf(address);
    const response = await this.fetch(address);
    await response.body?.cancel();
    return response.headers.get('location') ?? String(response.status);
  }

  /** Names and attributes of the cookies that the application has set. */
  get own(): readonly Cookie[] {
    return [...this.cookies.values()].filter(({ host }) => host === new URL(this.publicUrl).host);
  }

  /** Gives away a copy with the same cookies. */
  copy(): TeamBrowser {
    const copied = new TeamBrowser(this.appUrl, this.publicUrl, this.address);
    for (const [key, cookie] of this.cookies) copied.cookies.set(key, cookie);
    return copied;
  }

  /** Forgets who is signed in at the provider. */
  forgetProvider(): void {
    const { host: own } = new URL(this.publicUrl);
    for (const [key, { host }] of this.cookies) if (host !== own) this.cookies.delete(key);
  }

  private isOwn(address: URL): boolean {
    return address.origin === new URL(this.publicUrl).origin;
  }

  private async fetch(address: URL): Promise<Response> {
    const really = this.isOwn(address)
      ? new URL(`${address.pathname}${address.search}`, this.appUrl)
      : address;
    const sent = [...this.cookies.values()].filter(
      ({ host, path }) => host === address.host && isBelow(address.pathname, path),
    );
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
    const response = await fetch(really, {
      redirect: 'manual',
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        'user-agent': 'Chrome/140 Linux',
        'x-forwarded-for': this.address,
      },
    });
    for (const line of response.headers.getSetCookie()) this.keep(line, address);
    return response;
  }

  private keep(line: string, address: URL): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const key = `${address.host} ${path} ${name}`;
    const isGone = value === '' || attributes.some((one) => /^max-age=0$/i.test(one));
    if (isGone) this.cookies.delete(key);
    else this.cookies.set(key, { host: address.host, path, name, value, attributes });
  }
}

export interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
  readonly attributes: readonly string[];
}

const MAX_HOPS = 10;

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

function pathOf({ pathname, search, hash }: URL): string {
  return `${pathname}${search}${hash}`;
}
