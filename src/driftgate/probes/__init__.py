"""Questions put to a stub and to a release alike, so that their answers can be compared.

A consumer's contracts ask what the consumer does; a probe asks what the upstream does. Probes
are data. They are played in a child process that holds one upstream, on torch's ``fake`` process
group, and each leaves a record of plain values.
"""
