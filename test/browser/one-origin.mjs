/**
 * One origin on 127.0.0.1 for the page of another project's client and for the server's API, like a
 * proxy in front of both. It can cut connections, and records the requests.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const PAGE = '/clients/';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript' };

export class OneOrigin {
  /** Method, path and headers of the requests that were passed on, oldest first. */
  requests = [];
  #open = new Set();
  #server;

  static async start(target, pageDirectory) {
    const origin = new OneOrigin();
    origin.#server = http.createServer((request, response) => {
      if (request.url.startsWith(PAGE)) sendFile(response, pageDirectory, request.url);
      else origin.#pass(request, response, new URL(request.url, target));
    });
    await new Promise((resolve) => origin.#server.listen(0, '127.0.0.1', resolve));
    return origin;
  }

  get base() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  pageOf(client) {
    return `${this.base}${PAGE}?client=${client}`;
  }

  /** Cuts the open connections of this path on both sides; returns how many there were. */
  cut(pathname) {
    let count = 0;
    for (const { url, response } of this.#open) {
      if (url.pathname !== pathname) continue;
      response.socket.destroy();
      count += 1;
    }
    return count;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(request, response, url) {
    const { method, headers } = request;
    this.requests.push({ method, path: url.pathname, headers });
    const exchange = { url, response };
    this.#open.add(exchange);
    const upstream = http.request(url, { method, headers, agent: false });
    response.once('close', () => {
      this.#open.delete(exchange);
      upstream.destroy();
    });
    upstream.once('error', () => response.destroy());
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.once('error', () => response.destroy());
      answer.pipe(response);
    });
    request.pipe(upstream);
  }
}

function sendFile(response, directory, url) {
  const name = new URL(url, 'http://page').pathname.slice(PAGE.length) || 'index.html';
  const file = path.join(directory, name);
  if (!fs.existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' });
  response.end(fs.readFileSync(file));
}
