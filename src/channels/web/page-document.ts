import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { InviteJson } from './conversation.dto';

/** Built from web/src/server.tsx. */
interface Renderer {
  /** HTML of what a candidate sees first who opens the link. */
  renderInvite(invite: InviteJson): { readonly title: string; readonly body: string };
}

const ROOT = '<div id="root"></div>';
const TITLE = /<title>[^<]*<\/title>/;
const FONT_OF_LANGUAGE = /\s*<link[^>]* data-language="(\w+)"[^>]*>/g;

/**
 * The document of the candidate's page. With the invite its first view is in the HTML already, before
 * any script has arrived; without it, the page's script asks the API what the link leads to.
 */
export class PageDocument {
  private constructor(
    private readonly template: string,
    private readonly renderer: Renderer | null,
  ) {}

  /** Reads the built page; null in a build without a page. */
  static read(directory: string): PageDocument | null {
    const template = path.join(directory, 'index.html');
    if (!existsSync(template)) return null;
    const renderer = path.join(directory, '..', 'web-renderer', 'server.cjs');
    return new PageDocument(
      readFileSync(template, 'utf8'),
      existsSync(renderer) ? (createRequire(renderer)(renderer) as Renderer) : null,
    );
  }

  html(invite: InviteJson | null): string {
    const language = invite?.language ?? 'en';
    // Fonts are loaded ahead only for the language of the first view.
    const document = this.template.replace(FONT_OF_LANGUAGE, (link, of: string) =>
      of === language ? link : '',
    );
    if (invite?.state !== 'open' || this.renderer === null) return document;
    const { title, body } = this.renderer.renderInvite(invite);
    const data = JSON.stringify(invite).replaceAll('<', '\\u003c');
    // Functions, because `$` in a replacement string has a meaning of its own.
    return document
      .replace('<html lang="en">', `<html lang="${language}">`)
      .replace(TITLE, () => title)
      .replace(
        ROOT,
        () =>
          `<div id="root">${body}</div>\n    <script type="application/json" id="invite">${data}</script>`,
      );
  }
}
