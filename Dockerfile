# Images with snowid, from the official image of PostgreSQL or any other Debian that has it in PG_MAJOR's usual places.
#
#     docker build -t postgres-snowid --build-arg BASE=postgres:18 .
#     docker run -e POSTGRES_PASSWORD=secret postgres-snowid -c shared_preload_libraries=snowid -c snowid.worker_id=1
#
# The target `extension` holds nothing but the extension, in the layout that CloudNativePG mounts into PostgreSQL 18:
#
#     docker build -t snowid-extension --target extension --build-arg BASE=postgres:18 .
ARG BASE=postgres:18

FROM ${BASE} AS build
RUN apt-get -qq update && \
    apt-get -qq install -y --no-install-recommends g++ make libssl-dev libpq-dev postgresql-server-dev-$PG_MAJOR
COPY . /usr/src/snowid
RUN make -s -j"$(nproc)" -C /usr/src/snowid PG_CONFIG=/usr/lib/postgresql/$PG_MAJOR/bin/pg_config install DESTDIR=/out && \
    mkdir /extension && \
    mv /out/usr/lib/postgresql/$PG_MAJOR/lib /extension/lib && \
    mv /out/usr/share/postgresql/$PG_MAJOR /extension/share

FROM scratch AS extension
COPY --from=build /extension /

FROM ${BASE}
COPY --from=build /extension/lib /usr/lib/postgresql/$PG_MAJOR/lib
COPY --from=build /extension/share /usr/share/postgresql/$PG_MAJOR
