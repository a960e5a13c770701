# The gateway as an image: built in the first stage, and only what runs in the last. `npm run image:check` builds the same file system
# without an engine and starts the gateway from it; it knows the instructions that stand here, and no others.
FROM node:22.23.3-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/object-spreads.mjs scripts/parse-catalog.mjs scripts/unreached.mjs scripts/
COPY catalog catalog
COPY src src
RUN npm run build
# The embedded Postgres is an optional dependency, for development only.
RUN npm prune --omit=dev --omit=optional --no-audit --no-fund
RUN find dist -name "*.map" -delete

FROM node:22.23.3-bookworm-slim
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY ARCHITECTURE.md CHANGELOG.md LICENSE README.md ./
COPY assets assets
COPY catalog catalog
COPY docs docs
COPY examples examples
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# The user "node" of the base image, by number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["env", "UV_THREADPOOL_SIZE=16", "node", "--min-semi-space-size=16", "--max-semi-space-size=32", "--heap-growing-percent=50", "--no-allocation-site-pretenuring", "dist/main.js"]
