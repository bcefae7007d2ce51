import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { InviteJson } from './conversation.dto';

type Language = InviteJson['language'];

/** `title`: the document's title element. `body`: what its root contains. */
interface RenderedPage {
  readonly title: string;
  readonly body: string;
}

/** A page in front of the interviews. */
export type FrontPage =
  | {
      readonly kind: 'front';
      readonly examples: readonly {
        readonly url: string;
        readonly title: string;
        readonly company: string;
        readonly language: Language;
      }[];
      readonly hasRecruiters: boolean;
      readonly hasApi: boolean;
      readonly hasHandbook: boolean;
    }
  | {
      readonly kind: 'recruiters';
      /** Nobody can read interviews here. */
      readonly isOff: boolean;
      /** What was entered that contains no id; null: nothing was entered. */
      readonly unreadable: string | null;
    }
  | { readonly kind: 'not_found' }
  /** For now: the server is busy or has a problem. */
  | { readonly kind: 'unavailable' };

/** Built from web/src/server.tsx. */
interface Renderer {
  /** What a candidate sees first who opens the link. */
  renderInvite(invite: InviteJson): RenderedPage;
  renderFrontPage(page: FrontPage, language: Language): RenderedPage;
}

const ROOT = '<div id="root"></div>';
const TITLE = /<title>[^<]*<\/title>/;
const FONT_OF_LANGUAGE = /\s*<link[^>]* data-language="(\w+)"[^>]*>/g;

/**
 * The documents that the server completes. The candidate's page: with the invite its first view is in
 * the HTML already, before any script has arrived; without it, the page's script asks the API what the
 * link leads to. The front pages: they have no script.
 */
export class PageDocument {
  private constructor(
    private readonly template: string,
    private readonly frontTemplate: string | null,
    /** Of the built renderer; null: there is none. */
    private readonly rendererFile: string | null,
    /** At /handbook. */
    readonly hasHandbook: boolean,
    /** At /console. */
    readonly hasConsole: boolean,
  ) {}

  /** Reads the built page; null in a build without a page. */
  static read(directory: string): PageDocument | null {
    const template = path.join(directory, 'index.html');
    if (!existsSync(template)) return null;
    const front = path.join(directory, 'front.html');
    const renderer = path.join(directory, '..', 'web-renderer', 'server.cjs');
    return new PageDocument(
      readFileSync(template, 'utf8'),
      existsSync(front) ? readFileSync(front, 'utf8') : null,
      existsSync(renderer) ? renderer : null,
      existsSync(path.join(directory, '..', 'handbook')),
      existsSync(path.join(directory, 'team.html')),
    );
  }

  html(invite: InviteJson | null): string {
    const language = invite?.language ?? 'en';
    if (invite?.state !== 'open' || this.rendererFile === null) {
      return withFontsOf(language, this.template);
    }
    const data = JSON.stringify(invite).replaceAll('<', '\\u003c');
    return filled(this.template, {
      language,
      rendered: rendererIn(this.rendererFile).renderInvite(invite),
      after: `\n    <script type="application/json" id="invite">${data}</script>`,
    });
  }

  /** Null in a build without front pages. */
  frontHtml(page: FrontPage, language: Language): string | null {
    if (this.frontTemplate === null || this.rendererFile === null) return null;
    const rendered = rendererIn(this.rendererFile).renderFrontPage(page, language);
    return filled(this.frontTemplate, { language, rendered, after: '' });
  }
}

/** Loaded with the first page that it renders: React takes a part of the start and half a megabyte. */
function rendererIn(file: string): Renderer {
  return createRequire(file)(file) as Renderer;
}

function filled(
  template: string,
  {
    language,
    rendered,
    after,
  }: { readonly language: Language; readonly rendered: RenderedPage; readonly after: string },
): string {
  // Functions, because `$` in a replacement string has a meaning of its own.
  return withFontsOf(language, template)
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(TITLE, () => rendered.title)
    .replace(ROOT, () => `<div id="root">${rendered.body}</div>${after}`);
}

/** Fonts are loaded ahead only for the language of the first view. */
function withFontsOf(language: Language, template: string): string {
  return template.replace(FONT_OF_LANGUAGE, (link, of: string) => (of === language ? link : ''));
}
